import { type Context, internals } from '../context.js';
import { SetupError } from '../errors/setup-error.js';
import { after } from '../next.js';
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

/**
 * Logs each request when its response is sent, or discarded because the client has disconnected. A line
 * has the form `<METHOD> <path> <status> <milliseconds> ms`. If the logger throws, the error is logged to
 * stderr.
 *
 * @throws {SetupError} `INVALID_LOGGER`, when `logger` has neither an `info` nor a `write` method.
 */
export function requestLogger(options: RequestLoggerOptions = {}): Middleware {
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
  const methods: { info?: unknown; write?: unknown } = Object(logger);
  // Loggers that are streams, such as those of winston, have both.
  if (typeof methods.info === 'function' && 'info' in logger) return (entry) => logger.info(entry);
  if (typeof methods.write === 'function' && 'write' in logger) {
    return (entry) => logger.write(formatLine(entry));
  }
  throw new SetupError(
    'INVALID_LOGGER',
    'requestLogger() received a logger without an info() or write() method. Pass a logger such as console, or a stream.',
  );
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
