import { inspect } from 'node:util';
import { Application, type Server } from '@fairlead/core';
import type { TestApp } from '@fairlead/testing';
import type { LegalProgram } from './legal/program.js';
import {
  contains,
  type Mistake,
  type MistakenRequest,
  type Place,
  type Wanted,
} from './mistake.js';

/** What happened to a mistake at run time. */
export interface Observation {
  readonly area: string;
  readonly title: string;
  readonly wanted: Wanted;
  readonly place: Place;
  /** The whole message. For `never`, what happens instead, if it is not success. */
  readonly message: string;
  /** The codes of the error that ended the start, or of its problems. */
  readonly codes?: readonly unknown[];
}

/** What the process has printed since the last call of {@link takeLog}. */
const log: string[] = [];

function takeLog(): string {
  return log.splice(0).join('\n');
}

/** Begins the message of an error that ends the process. */
const CRASH = 'The process crashes:';

/** Records what the process prints on standard error, and what would end it. */
export function recordLog(): void {
  const record = (...values: readonly unknown[]) => {
    log.push(values.map(describe).join(' '));
  };
  console.error = record;
  console.warn = record;
  process.stderr.write = (chunk: string | Uint8Array) => {
    record(String(chunk));
    return true;
  };
  // The listener of Node.js would print it, too, with the ID of the process.
  process.removeAllListeners('warning').on('warning', record);
  process.on('uncaughtException', (error) => record(CRASH, error));
}

/** The text that the process would print, without stacks. */
function describe(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!(value instanceof Error)) return inspect(value);
  const causes = [value.cause, ...(value instanceof AggregateError ? value.errors : [])];
  return [value.message, ...causes.filter((cause) => cause !== undefined).map(describe)].join('\n');
}

/** Makes a mistake: starts its application, sends its request, and closes it. */
export async function observe(mistake: Mistake): Promise<Observation> {
  const { area, title, wanted } = mistake;
  const report = await run(mistake);
  await idle(title);
  takeLog();
  return { area, title, wanted, ...report };
}

/** What is wrong with a legal program, such as an error of its start. */
export interface LegalReport {
  readonly title: string;
  readonly problems: readonly string[];
}

/** Runs a legal program, once more with its warning silenced if it has one. */
export async function runLegal(program: LegalProgram): Promise<LegalReport> {
  const { title, warning } = program;
  const problems = await runOnce(program, false, warning);
  if (warning !== undefined) problems.push(...(await runOnce(program, true, undefined)));
  await idle(title);
  takeLog();
  return { title, problems };
}

async function runOnce(
  { start, request, expected }: LegalProgram,
  isSilenced: boolean,
  warning: string | RegExp | undefined,
): Promise<string[]> {
  const run = isSilenced ? 'silenced: ' : '';
  const started = await settle(async () => {
    const target = await start(isSilenced);
    if (target instanceof Application) target.seal();
    return target;
  });
  if (started.kind !== 'done') {
    return [`${run}start: ${started.kind === 'failed' ? describe(started.error) : started.kind}`];
  }
  const target = started.value as NonNullable<Target>;
  const problems: string[] = [];
  const printed = takeLog();
  if (warning === undefined ? printed !== '' : !contains(printed, warning)) {
    problems.push(`${run}start: expected the warning ${warning}, got ${printed || 'none'}`);
  }
  const sent = await send(target, request);
  const response = sent.kind === 'done' ? `${sent.value.status} ${sent.value.body}` : sent.kind;
  if (response !== expected && (expected.length > 3 || !response.startsWith(expected))) {
    problems.push(`${run}response: expected ${expected}, got ${response}`);
  }
  if (sent.kind === 'failed') problems.push(`${run}request: ${describe(sent.error)}`);
  const closed = await settle(() => close(target));
  if (closed.kind !== 'done') problems.push(`${run}close: ${describe(closed)}`);
  const logged = takeLog();
  if (logged !== '') problems.push(`${run}log: ${logged}`);
  return problems;
}

async function run({ start, request, wanted }: Mistake): Promise<Report> {
  const started = await settle(async () => {
    const target = await start();
    if (target instanceof Application) target.seal();
    return target;
  });
  if (started.kind === 'failed') {
    const { error } = started;
    return {
      place: 'startup',
      message: describeStart(error),
      codes: problemsOf(error).map(codeOf),
    };
  }
  const warning = takeLog();
  if (started.kind === 'pending' && warning === '') return never('The start never ends.');
  const target = started.kind === 'done' ? (started.value as Target) : undefined;
  const report =
    warning === ''
      ? await observeRequest(target, request, wanted)
      : ({ place: warning.includes(CRASH) ? 'startup' : 'warning', message: warning } as const);
  const closed = await settle(() => close(target));
  const closing = closed.kind === 'failed' ? describe(closed.error) : takeLog();
  return report.place === 'never' && closing !== '' ? { place: 'close', message: closing } : report;
}

/** What a start returns. */
type Target = Application | Server | TestApp | undefined;

/** A place, and the message there. */
type Report = Pick<Observation, 'place' | 'message' | 'codes'>;

function never(message: string): Report {
  return { place: 'never', message };
}

async function observeRequest(
  target: Target,
  request: MistakenRequest,
  wanted: Wanted,
): Promise<Report> {
  if (target === undefined) return never('');
  const sent = await send(target, request);
  const logged = takeLog();
  if (logged !== '') return { place: 'request', message: logged };
  if (sent.kind === 'failed') return { place: 'request', message: describe(sent.error) };
  if (sent.kind === 'pending') return never('The response never ends.');
  const { status, body } = sent.value;
  if (wanted.response !== undefined && contains(body, wanted.response)) {
    return { place: 'response', message: detailOf(body) };
  }
  return never(status < 300 ? '' : `The response is ${status}.`);
}

async function send(
  target: NonNullable<Target>,
  request: MistakenRequest,
): Promise<Settled<{ readonly status: number; readonly body: string }>> {
  const [path, init] = typeof request === 'string' ? [request] : request;
  const sent = await settle(async () => {
    const response = await ('url' in target
      ? fetch(new URL(path, target.url), init)
      : target.request(path, init));
    return { status: response.status, body: await response.text() };
  });
  // The application may do something after its response.
  if (!('url' in target)) await idle(path);
  return sent;
}

async function close(target: Target): Promise<void> {
  await (target !== undefined && 'url' in target
    ? target.close({ timeout: 0 })
    : target?.close?.());
}

/** Returns the problems of an error of the start; the error itself if it has none. */
function problemsOf(error: unknown): readonly unknown[] {
  const problems: unknown = error instanceof Error && Reflect.get(error, 'problems');
  return Array.isArray(problems) ? problems : [error];
}

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code');

/** The message of an error of the start, or of the first of its problems. */
function describeStart(error: unknown): string {
  const problems: unknown = error instanceof Error && Reflect.get(error, 'problems');
  if (!Array.isArray(problems)) return error instanceof Error ? error.message : describe(error);
  const [first, ...others] = problems.map((problem) => Reflect.get(problem, 'message'));
  return others.length === 0
    ? first
    : `(${problems.length} problems) ${[first, ...others].join('\n')}`;
}

function detailOf(body: string): string {
  const { detail }: { readonly detail?: string } = JSON.parse(body);
  return detail ?? body;
}

/** How an action ended. */
type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'pending' };

/** Runs an action until it settles, or until the process has nothing left to do but wait for it. */
async function settle<T>(action: () => Promise<T>): Promise<Settled<T>> {
  const idle = Promise.withResolvers<Settled<T>>();
  // The action may react to the same event.
  const onIdle = () => void turns(3).then(() => idle.resolve({ kind: 'pending' }));
  process.once('beforeExit', onIdle);
  const settled = action().then(
    (value): Settled<T> => ({ kind: 'done', value }),
    (error): Settled<T> => ({ kind: 'failed', error }),
  );
  const outcome = await Promise.race([settled, idle.promise]);
  process.off('beforeExit', onIdle);
  // Warnings and unhandled rejections follow in later turns.
  await turns(3);
  return outcome;
}

/** Milliseconds after which a process that is still busy will not become idle. */
const BUSY = 60_000;

/**
 * Waits until the process has nothing left to do.
 *
 * @throws {Error} When a mistake has left something open, such as a server.
 */
function idle(name: string): Promise<unknown> {
  return new Promise((done, fail) => {
    const error = new Error(`The process does not become idle after ${name}.`);
    const timer = setTimeout(fail, BUSY, error).unref();
    process.once('beforeExit', () => {
      clearTimeout(timer);
      setImmediate(done);
    });
  });
}

/** Waits for turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
}
