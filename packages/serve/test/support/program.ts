import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject, onTestFinished } from 'vitest';

const PACKAGE = join(import.meta.dirname, '../..');

const IMPORTS = `
import { createApp, createRouter, defineConfig, describeFunction, describeStartError, intended, listen, runProcess, serve } from '${inject('packages')}';
`;

/** How a program ended, and all that it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs in its own process. */
export interface Program {
  /** Resolves to the text's match once the program has written it to either output. */
  wrote(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the URL that the program logs. */
  url(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Sends a message, which the program receives as `process.on('message')`. */
  send(message: string): void;
  readonly ended: Promise<Ending>;
}

/** A program whose output nothing reads. */
export interface UnreadProgram {
  /** Resolves when the program has sent a message. */
  readonly ready: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
  send(message: string): void;
  /** The exit code. */
  readonly code: Promise<number | null>;
}

/** Starts a program whose output nothing reads, such as after a failure of what collects the logs. */
export function startUnread(code: string): UnreadProgram {
  const args = ['--input-type=module', '--eval', IMPORTS + code];
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.stdout?.destroy();
  child.stderr?.destroy();
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    ready: once(child, 'message'),
    kill: (signal) => void child.kill(signal),
    send: (message) => void child.send(message),
    code: once(child, 'exit').then(([exitCode]) => exitCode),
  };
}

/**
 * Starts a program. The process is killed when the running test ends.
 *
 * @param code - The program, after its imports.
 */
export function startProgram(code: string): Program {
  const args = ['--input-type=module', '--eval', IMPORTS + code];
  const child = spawn(process.execPath, args, {
    cwd: PACKAGE,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError('The outputs are not pipes.');
  let written = '';
  for (const stream of [stdout, stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      written += chunk;
    });
  }
  const output = Promise.all([text(stdout), text(stderr)]);
  const ended = once(child, 'close').then(async ([code, signal]): Promise<Ending> => {
    const [out, err] = await output;
    return { code, signal, stdout: out, stderr: err };
  });
  const wrote = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(written);
        if (match !== null) resolve(match);
      };
      stdout.on('data', check);
      stderr.on('data', check);
      check();
      void ended.then(() => reject(new Error(`The program did not write ${pattern}: ${written}`)));
    });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    wrote,
    url: async () => (await wrote(/listens on (\S+)/))[1] ?? '',
    kill: (signal) => void child.kill(signal),
    send: (message) => void child.send(message),
    ended,
  };
}
