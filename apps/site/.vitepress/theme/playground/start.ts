/// <reference path="./virtual.d.ts" />
import type { Report } from '../../../src/playground/program.ts';

/** Milliseconds that a program may take. */
const TIME_LIMIT = 5_000;

/** How a start ended. */
export interface Outcome {
  /** What the program has printed. */
  readonly output: string;
  readonly ending: 'started' | 'warned' | 'failed' | 'stopped';
}

/**
 * Starts a program in a worker, which ends with it.
 *
 * @param signal - Ends the program. The promise then stays pending.
 */
export async function startProgram(source: string, signal: AbortSignal): Promise<Outcome> {
  const { default: code } = await import('virtual:playground-worker');
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const lines: string[] = [];
  let hasWarned = false;
  const worker = createWorker(code, 'module');
  const stop = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const end = (ending: Outcome['ending']) => {
    resolve({ output: lines.join('\n'), ending });
    stop();
  };
  const timer = setTimeout(() => {
    lines.push(`The program was stopped after ${TIME_LIMIT / 1_000} seconds.`);
    end('stopped');
  }, TIME_LIMIT);
  signal.addEventListener('abort', stop);
  worker.addEventListener('message', async ({ data }: MessageEvent<Report>) => {
    if ('text' in data) {
      lines.push(data.text);
      hasWarned ||= data.isWarning;
      return;
    }
    clearTimeout(timer);
    const line = lines.findIndex((text) => text.startsWith('SyntaxError: '));
    const place = line < 0 ? undefined : await findSyntaxError(source);
    if (place !== undefined) lines.splice(line, 0, place);
    if (data.code !== undefined) end('failed');
    else end(hasWarned ? 'warned' : 'started');
  });
  if (signal.aborted) stop();
  else worker.postMessage(source);
  return promise;
}

function createWorker(code: string, type: WorkerType): Worker {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new Worker(url, { type });
  // The worker has its own reference to the code.
  setTimeout(() => URL.revokeObjectURL(url), TIME_LIMIT);
  return worker;
}

/** Matches what is valid at the top level of a module only. */
const MODULE_SYNTAX = /^import\b[^'"]*(['"])[^'"]*\1;?|^export\s(?:default\b)?/gm;

/**
 * Finds the line that a browser cannot parse. The error of a module does not name it, but that of a script does: here
 * one with the program as the body of a function, which nothing calls.
 */
function findSyntaxError(source: string): Promise<string | undefined> {
  const body = source.replaceAll(MODULE_SYNTAX, (text) => text.replaceAll(/./g, ' '));
  const worker = createWorker(`async () => {\n${body}\n};\npostMessage('');`, 'classic');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  worker.addEventListener('message', () => resolve(undefined));
  worker.addEventListener('error', ({ lineno, colno }) => resolve(`app.js:${lineno - 1}:${colno}`));
  return promise.finally(() => worker.terminate());
}
