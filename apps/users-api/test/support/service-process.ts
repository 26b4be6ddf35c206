import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ENVIRONMENT } from '@fairlead/test-support/environment';
import { onTestFinished } from 'vitest';
import { APP, builtProgram } from './built-program.js';
import { LogLines } from './log.js';

/** Runs TypeScript, as the script `dev` does. */
const FROM_SOURCE = ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'];

/** On a loaded machine, a process may take seconds to stop. */
const DEFAULTS = { HOST: '127.0.0.1', PORT: '0', SHUTDOWN_TIMEOUT: '60000' };

/** How a process ended, and all that it wrote. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A users-api in a process of its own. */
export interface ServiceProcess {
  /** Resolves to the service's URL once it listens; rejects when the process ends before. */
  readonly url: Promise<string>;
  readonly ended: Promise<Ending>;
  /** Resolves once it has written this to standard error. */
  wrote(text: string): Promise<void>;
  /** What it has logged. */
  readonly log: LogLines;
  kill(signal: NodeJS.Signals): void;
}

/** What a process is started with beside its environment. */
export interface ProcessOptions {
  /** The folder of a copy of the app, which runs from source. The built app runs unless given. */
  readonly app?: string;
  /** The program, a file of the app without its extension; `main` unless given. */
  readonly program?: 'main' | 'seed';
  /** Arguments of the program. */
  readonly args?: readonly string[];
}

/**
 * Starts a program of the app, on a free port unless `PORT` is given. The process is killed when the
 * running test ends.
 *
 * @param env - Environment variables.
 * @param options - The folder of the app, its program, and arguments.
 * @throws {Error} When the app has not been built since its sources were changed.
 */
export function startProcess(
  env: Readonly<Record<string, string>>,
  { app, program = 'main', args = [] }: ProcessOptions = {},
): ServiceProcess {
  const node = app === undefined ? [builtProgram(program)] : [...FROM_SOURCE, `src/${program}.ts`];
  const child = spawn(process.execPath, [...node, ...args], {
    cwd: app ?? APP,
    env: { ...ENVIRONMENT, ...DEFAULTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'close').then(async ([code, signal]): Promise<Ending> => {
    const [stdout, stderr] = await output;
    return { code, signal, stdout, stderr };
  });
  const log = new LogLines();
  const url = new Promise<string>((fulfil, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listens on (\S+),/.exec(line)?.[1];
      if (found !== undefined) fulfil(found);
      if (line.startsWith('{')) log.push(JSON.parse(line));
    });
    ended.then(({ stderr }) => reject(new Error(`users-api ended before it listened: ${stderr}`)));
  });
  // A test that waits for the end alone leaves this one unread.
  url.catch(() => {});
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const wrote = async (expected: string): Promise<void> => {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes(expected)) return;
    }
  };
  return { url, ended, log, wrote, kill: (signal) => void child.kill(signal) };
}
