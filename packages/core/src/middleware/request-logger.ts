import { fn, type Kinds, kind } from '@fairlead/options';
import { type Context, internals } from '../context.js';
import { after } from '../next.js';
import { assertOptions } from '../options.js';
import type { Middleware } from '../pipeline.js';
import { logError } from './error-handler.js';

/** What {@link requestLogger} logs about one request. */
export interface RequestLogEntry {
  readonly method: string;
  /** The request path, percent-encoded, without the query. */
  readonly path: string;
  /** Full pattern of the matched route; absent when no route matches. */
  readonly pattern?: string;
  /** The status that was sent. */
  readonly status: number;
  /** Milliseconds that downstream middleware took. Sending the response does not count. */
  readonly milliseconds: number;
  /** The id from `requestId()`; absent without it. */
  readonly requestId?: string;
  /** The error behind a status of 500 or more, if it is known. */
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
}

const REQUEST_LOGGER_OPTIONS: Kinds<RequestLoggerOptions> = {
  logger: kind('a logger with a method info, such as console, or a stream', isLogger),
  now: fn,
};

function isLogger(value: unknown): boolean {
  const { info, write }: { info?: unknown; write?: unknown } = Object(value);
  return typeof info === 'function' || typeof write === 'function';
}

/**
 * Logs each request when its response is sent, or discarded because the client has disconnected. A line
 * has the form `<METHOD> <path> <status> <milliseconds> ms`. If the logger throws, the error is logged to
 * stderr.
 *
 * @throws {SetupError} `INVALID_LOGGER`, when `logger` has neither an `info` nor a `write` method;
 *   `INVALID_OPTION`, when another option is unknown or invalid.
 */
export function requestLogger(options: RequestLoggerOptions = {}): Middleware {
  assertOptions('requestLogger()', options, REQUEST_LOGGER_OPTIONS, { logger: 'INVALID_LOGGER' });
  const { now = () => performance.now() } = options;
  const log = createLog(options.logger);
  return function requestLogger(ctx, next) {
    const start = now();
    const outcome: Outcome = { milliseconds: undefined, error: undefined };
    const response = internals.responseOf(ctx);
    const { onSent: logBefore } = response;
    response.onSent = () => {
      logBefore?.();
      const write = (): void => {
        outcome.milliseconds ??= now() - start;
        log(ctx, outcome);
      };
      // The status of a response that was taken over is known when it closes.
      if (response.takenOver && !ctx.res.headersSent) ctx.res.once('close', write);
      else write();
    };
    const stop = (): void => {
      outcome.milliseconds = now() - start;
    };
    return after(next, stop, (error) => {
      stop();
      outcome.error = error;
    });
  };
}

/** What the middleware has observed of a request. */
interface Outcome {
  milliseconds: number | undefined;
  /** The error that passed the middleware; undefined if none did. */
  error: unknown;
}

function createLog(
  logger: RequestLoggerOptions['logger'],
): (ctx: Context, outcome: Outcome) => void {
  const write = createWrite(logger);
  return (ctx, outcome) => {
    try {
      write(describe(ctx, outcome));
    } catch (error) {
      logError(error);
    }
  };
}

function createWrite(logger: RequestLoggerOptions['logger']): (entry: RequestLogEntry) => void {
  if (logger === undefined) return (entry) => process.stdout.write(formatLine(entry));
  // Loggers that are streams, such as those of winston, have both.
  if ('info' in logger && typeof logger.info === 'function') return (entry) => logger.info(entry);
  const stream = logger as { write(line: string): unknown };
  return (entry) => stream.write(formatLine(entry));
}

function describe(ctx: Context, { milliseconds = 0, error }: Outcome): RequestLogEntry {
  const { method, path, pattern, res } = ctx;
  const { requestId } = ctx.state;
  const status = res.headersSent ? res.statusCode : ctx.status;
  const cause = internals.responseOf(ctx).error ?? error;
  return {
    method,
    path,
    ...(pattern !== undefined && { pattern }),
    status,
    milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    ...(typeof requestId === 'string' && { requestId }),
    ...(status >= 500 && cause !== undefined && { error: cause }),
  };
}

function formatLine({ method, path, status, milliseconds }: RequestLogEntry): string {
  return `${method} ${path} ${status} ${milliseconds.toFixed(1)} ms\n`;
}
