import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SetupError } from '@fairlead/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger, describeError, type LoggerOptions } from '../src/index.js';

const PROGRAM = join(import.meta.dirname, 'support/chatty.ts');
const FROM_SOURCE = ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'];

/** Runs a program that logs 40 MB, reports "logged" on stderr, and ends once its stdin does. */
function startChatty(
  stdout: 'pipe' | number = 'pipe',
  ...args: readonly string[]
): ChildProcessWithoutNullStreams {
  const stdio = ['pipe', stdout, 'pipe'] as const;
  const child = spawn(process.execPath, [...FROM_SOURCE, PROGRAM, ...args], { stdio: [...stdio] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcessWithoutNullStreams;
}

/** Creates a logger whose lines are collected. */
function capture(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { logger: createLogger({ ...options, destination }), lines };
}

describe('createLogger', () => {
  it('logs JSON from level info, with the name of the level', () => {
    const { logger, lines } = capture();
    logger.debug('hidden');
    logger.warn({ store: 'memory' }, 'shown');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'warn',
        time: expect.any(Number),
        pid: process.pid,
        hostname: expect.any(String),
        store: 'memory',
        msg: 'shown',
      },
    ]);
  });

  it('describes errors without their properties', () => {
    const { logger, lines } = capture();
    logger.error({ err: Object.assign(new Error('It failed.'), { email: 'ada@example.com' }) });
    expect(JSON.parse(String(lines[0])).err).toEqual({
      type: 'Error',
      message: 'It failed.',
      stack: expect.any(String),
    });
  });

  it('logs the described message of an error without a text, and your text', () => {
    const { logger, lines } = capture();
    const error = Object.assign(new Error('params: ada@example.com'), {
      query: 'SELECT $1',
      params: ['ada@example.com'],
    });
    logger.error(error);
    logger.error(Object.assign(error, { msg: 'ada@example.com' }));
    logger.error({ err: error });
    logger.child({ part: 'orders' }).warn({ err: error });
    logger.child({}, { msgPrefix: 'Orders: ' }).warn(error);
    logger.error({ err: error }, 'request %s', 'failed');
    logger.error({ err: error, msg: 'own' });
    logger.info({ status: 200 });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      ...Array.from({ length: 4 }, () => 'The statement failed.'),
      'Orders: The statement failed.',
      'request failed',
      'own',
      undefined,
    ]);
    expect(lines.join()).not.toContain('ada@example.com');
  });

  it('describes errors with serializeError', () => {
    const serializeError = (error: unknown) => describeError(error, { stack: false });
    const { logger, lines } = capture({ serializeError });
    logger.error({ err: new Error('It failed.') });
    expect(JSON.parse(String(lines[0])).err).toEqual({ type: 'Error', message: 'It failed.' });
  });

  it('formats the line of a request, and any other line, in the pretty format', () => {
    const { logger, lines } = capture({ format: 'pretty' });
    const request = { method: 'GET', path: '/users/7', route: '/users/:id', status: 404 };
    logger.info({ ...request, duration: 1.5, requestId: 'abc' }, 'request');
    logger.info({ method: 'GET' }, 'hello');
    expect(lines).toEqual([
      expect.stringMatching(/^\[[\d:.]+\] INFO: GET \/users\/7 404 1\.5 ms {"requestId":"abc"}\n$/),
      expect.stringMatching(/^\[[\d:.]+\] INFO: hello {"method":"GET"}\n$/),
    ]);
  });

  it('controls no terminal with text in the pretty format', () => {
    const { logger, lines } = capture({ format: 'pretty' });
    logger.info(
      { method: 'GET', path: '/\u009b2J', route: '/', status: 400, duration: 1 },
      'request',
    );
    logger.error({ err: new Error('\u001b[2J\u202e'), name: '\u001b]0;title\u0007' }, 'a\rb');
    expect(lines.join('')).toContain('GET /\\u009b2J 400 1 ms');
    expect(lines.join('')).toContain('a\\u000db');
    expect(lines.join('')).toContain('\\\\u001b[2J');
    expect(lines.join('')).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  });

  it.each([
    [{ levle: 'info' }, "createLogger() has no option 'levle'. Did you mean 'level'?"],
    [
      { level: 'verbose' },
      "level of createLogger() must be 'trace', 'debug', 'info', 'warn', 'error', 'fatal' or 'silent': got 'verbose'.",
    ],
    [
      { format: 'text' },
      "format of createLogger() must be 'auto', 'json' or 'pretty': got 'text'.",
    ],
    [{ serializeError: true }, 'serializeError of createLogger() must be a function: got true.'],
    [
      { destination: 'app.log' },
      "destination of createLogger() must be a stream, or an object with a write() method: got 'app.log'.",
    ],
  ])('refuses %o', (options, message) => {
    const error = new SetupError('INVALID_OPTION', message);
    expect(() => createLogger(options as LoggerOptions)).toThrow(error);
  });
});

describe('the format', () => {
  const TERMINAL = 'process.stdout.isTTY = true;';
  const WITHOUT_PRETTY = `
    const { registerHooks } = await import('node:module');
    registerHooks({
      resolve(specifier, context, nextResolve) {
        if (specifier !== 'pino-pretty') return nextResolve(specifier, context);
        throw Object.assign(new Error('Not found.'), { code: 'MODULE_NOT_FOUND' });
      },
    });
  `;

  /** Logs "hello" in a new process. Resolves with its output, or the message of its error. */
  async function logHello(format: LoggerOptions['format'], setup = ''): Promise<string> {
    const code = `${setup}
      const { createLogger } = await import('@fairlead/pino');
      try {
        createLogger({ format: '${format}' }).info('hello');
      } catch (error) {
        console.log(error.code, error.message);
      }`;
    const args = [...FROM_SOURCE, '--input-type=module', '--eval', code];
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname });
    return text(child.stdout);
  }

  it('auto is json outside of a terminal', async () => {
    expect(JSON.parse(await logHello('auto'))).toMatchObject({ msg: 'hello' });
  });

  it('auto is pretty in a terminal, in color', async () => {
    expect(await logHello('auto', TERMINAL)).toContain('\u001b[32mINFO\u001b[39m: ');
  });

  it('auto is json in a terminal without pino-pretty', async () => {
    const output = await logHello('auto', TERMINAL + WITHOUT_PRETTY);
    expect(JSON.parse(output)).toMatchObject({ msg: 'hello' });
  });

  it('pretty is refused without pino-pretty', async () => {
    expect(await logHello('pretty', WITHOUT_PRETTY)).toBe(
      "PRETTY_UNAVAILABLE createLogger() cannot use the format 'pretty': the package pino-pretty is not installed. Run 'npm install pino-pretty', or pass format: 'json'.\n",
    );
  });
});

describe('standard output', () => {
  it('delays nothing while nobody reads it, and keeps at most 16 MiB and what the pipe holds', async () => {
    const child = startChatty();
    expect(String((await once(child.stderr, 'data'))[0])).toBe('logged\n');
    child.stdin.end();
    const output = await text(child.stdout);
    const lines = output.trimEnd().split('\n');
    expect(output.length).toBeGreaterThan(15 * 1_048_576);
    expect(output.length).toBeLessThan(18 * 1_048_576);
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(lines.map(() => 'info'));
  });

  it('keeps every line of a busy process, and what it logs while it exits', async () => {
    const path = join(await mkdtemp(join(tmpdir(), 'log-')), 'log');
    onTestFinished(() => rm(dirname(path), { recursive: true }));
    const file = await open(path, 'w');
    const child = startChatty(file.fd, 'busy');
    child.stdin.end();
    await once(child, 'exit');
    await file.close();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(String(lines.pop())).msg).toBe('last');
    const numbers = lines.map((line) => JSON.parse(line).number);
    expect(numbers.filter((number, index) => number !== index)).toEqual([]);
    expect(numbers).toHaveLength(160_000);
  });

  it.each([
    ['end', 0],
    ['throw', 1],
  ])('does not hold up the end of a process that nobody reads: %s', async (task, code) => {
    const child = startChatty('pipe', task);
    expect(String((await once(child.stderr, 'data'))[0])).toBe('logged\n');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([code, null]);
  });

  it('delays nothing after another process has inherited the pipe', async () => {
    const program = [process.execPath, ...FROM_SOURCE, PROGRAM, 'share'];
    const shell = spawn('sh', ['-c', '"$@" | sleep 600', 'sh', ...program], { detached: true });
    onTestFinished(() => void process.kill(-Number(shell.pid), 'SIGKILL'));
    expect(String((await once(shell.stderr, 'data'))[0])).toBe('logged\n');
    shell.stdin.end();
    expect(String((await once(shell.stderr, 'data'))[0])).toBe('ending\n');
  });

  it('does not end the process when its reader has gone', async () => {
    const child = startChatty();
    child.stdout.destroy();
    expect(String((await once(child.stderr, 'data'))[0])).toBe('logged\n');
    child.stdin.end();
    expect(String((await once(child.stderr, 'data'))[0])).toBe('ending\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('neither ends the process nor keeps it running when it cannot be written', async () => {
    const file = await open(import.meta.filename, 'r');
    onTestFinished(() => file.close());
    const child = startChatty(file.fd);
    expect(String((await once(child.stderr, 'data'))[0])).toBe('logged\n');
    child.stdin.end();
    expect(String((await once(child.stderr, 'data'))[0])).toBe('ending\n');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
