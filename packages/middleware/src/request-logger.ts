import type { Context, Middleware, RequestOutcome } from '@fairlead/core';
import { after, assertOptions, describe, describeFactories } from '@fairlead/core/extend';
import { boolean, escapeLine, fn, hasMethods, type Kinds, kind, named } from '@fairlead/options';
import { measureParts, startTiming, writeTiming } from './server-timing.js';

/** What {@link requestLogger} logs about one request. */
export interface RequestLogEntry {
  readonly method: string;
  /** The request path, percent-encoded, without the query. */
  readonly path: string;
  /** Full pattern of the matched route; absent when no route matches. */
  readonly pattern?: string;
  /** The status that was sent, or 499 if the client disconnected before any was. */
  readonly status: number;
  /** True if the client disconnected, or the response failed, before it was complete; otherwise absent. */
  readonly aborted?: true;
  /** Milliseconds that downstream middleware took. Sending the response does not count. */
  readonly milliseconds: number;
  /** The ID from `requestId()`; absent without it. */
  readonly requestId?: string;
  /** The error behind a status of 500 or more, or behind an aborted response, if it is known. */
  readonly error?: unknown;
}

/** Options of {@link requestLogger}. */
export interface RequestLoggerOptions {
  /**
   * A logger such as pino or `console`, whose `info` method receives a {@link RequestLogEntry}, or a stream
   * that receives a line for each request; `process.stdout` by default.
   */
  readonly logger?: { info(entry: RequestLogEntry): unknown } | { write(line: string): unknown };
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
  /** Whether to omit a request from the log. Called when the request has ended. */
  readonly skip?: (ctx: Context) => boolean;
  /**
   * Whether responses have `Server-Timing`, which browsers show: how long guards, validation, the handler and
   * serialization took, and all downstream functions. By default, only if `NODE_ENV` is `development`: in
   * production, times tell attackers what happened, such as whether an account exists.
   */
  readonly serverTiming?: boolean;
}

const REQUEST_LOGGER_OPTIONS: Kinds<RequestLoggerOptions> = {
  logger: kind('a logger with an info() method, such as console, or a stream', isLogger),
  now: fn,
  skip: fn,
  serverTiming: boolean,
};

function isLogger(value: unknown): boolean {
  return hasMethods('info')(value) || hasMethods('write')(value);
}

/**
 * Logs each request when its response was sent completely, or its connection closed. A line has the form
 * `<METHOD> <path> <status> <milliseconds> ms`, followed by ` aborted` if the client received no complete
 * response. What the logger throws goes to `onError`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function requestLogger(options: RequestLoggerOptions = {}): Middleware {
  assertOptions('requestLogger()', options, REQUEST_LOGGER_OPTIONS);
  const { now = () => performance.now(), skip } = options;
  const { serverTiming = process.env.NODE_ENV === 'development' } = options;
  const write = createWrite(options.logger);
  if (serverTiming) measureParts();
  return describe<Middleware>(
    named('requestLogger', (ctx, next) => {
      const start = now();
      if (serverTiming) startTiming(ctx);
      let milliseconds: number | undefined;
      let passed: unknown;
      ctx.onFinish((outcome) => {
        if (skip?.(ctx)) return undefined;
        return write(entryOf(ctx, { error: passed, ...outcome }, milliseconds ?? now() - start));
      });
      const stop = (): void => {
        milliseconds = now() - start;
        if (serverTiming) writeTiming(ctx, milliseconds);
      };
      return after(next, stop, (error) => {
        stop();
        passed = error;
      });
    }),
    { role: 'middleware' },
  );
}

describeFactories(requestLogger);

function createWrite(logger: RequestLoggerOptions['logger']): (entry: RequestLogEntry) => unknown {
  if (logger === undefined) return (entry) => writeOut(formatLine(entry));
  // Loggers that are streams, such as winston loggers, have both.
  if ('info' in logger && typeof logger.info === 'function') return (entry) => logger.info(entry);
  const stream = logger as { write(line: string): unknown };
  return (entry) => stream.write(formatLine(entry));
}

/** Writes to stdout. The process goes on when nothing reads stdout any more. */
function writeOut(line: string): void {
  const { stdout } = process;
  stdout.write(line, (error) => {
    // The event follows. Without a listener, it would end the process.
    if (error && stdout.listenerCount('error') === 0) stdout.once('error', () => undefined);
  });
}

function entryOf(
  ctx: Context,
  { status, aborted, error }: RequestOutcome,
  milliseconds: number,
): RequestLogEntry {
  const { method, path, pattern } = ctx;
  const { requestId } = ctx.state;
  return {
    method,
    path,
    ...(pattern !== undefined && { pattern }),
    status,
    ...(aborted && { aborted }),
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    ...(typeof requestId === 'string' && { requestId }),
    ...((status >= 500 || aborted) && error !== undefined && { error }),
  };
}

function formatLine({ method, path, status, milliseconds, aborted }: RequestLogEntry): string {
  const end = `${status} ${milliseconds.toFixed(1)} ms${aborted ? ' aborted' : ''}`;
  return `${escapeLine(`${method} ${path}`)} ${end}\n`;
}
