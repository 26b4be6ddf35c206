import { type Context, HttpError, isHttpError, type Middleware } from '@fairlead/core';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from './config.js';
import { StoreError } from './users/store/store-error.js';

export type { Logger } from 'pino';

/** Maximum size of a write, in bytes. Pipes write such blocks atomically (PIPE_BUF). */
const MAX_WRITE = 4_096;

/** Maximum size of the buffer for a slow reader, in bytes. Lines beyond it are dropped. */
const MAX_BUFFERED = 16 * 1_048_576;

/** Maximum depth of causes, and maximum number of errors shown per AggregateError. */
const MAX_NESTED = 5;

/** Opens the log of the process, on standard output. */
export async function openLogger({ LOG_LEVEL, LOG_FORMAT }: Config): Promise<Logger> {
  const isTerminal = process.stdout.isTTY === true;
  if (LOG_FORMAT === 'json' || (LOG_FORMAT === 'auto' && !isTerminal)) {
    // Writes asynchronously, so a slow reader does not delay requests.
    const limits = { maxWrite: MAX_WRITE, maxLength: MAX_BUFFERED };
    const destination = pino.destination({ dest: 1, sync: false, ...limits });
    // A failing log must not end the service.
    destination.on('error', () => undefined);
    return createLogger(LOG_LEVEL, destination);
  }
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: isTerminal,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  const destination = pino.destination({ dest: 1, sync: true });
  const write = (line: string) => void destination.write(format(summarize(JSON.parse(line))));
  return createLogger(LOG_LEVEL, { write });
}

/** Creates a logger that keeps user data out of logged errors. `destination` receives each line. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, formatters, serializers: { err: describeError } }, destination);
}

/** Replaces the fields of a request with a one-line message. */
function summarize(line: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { method, path, route: _, status, duration, ...rest } = line;
  if (method === undefined) return line;
  return { ...rest, msg: `${method} ${path} ${status} ${duration} ms` };
}

/** Returns the function that receives errors. They become part of the request's line if it is not logged yet. */
export function noteError(logger: Logger): (err: unknown, ctx: Context) => void {
  return (err, { res, state }) => {
    const { requestId } = state;
    if (res.closed && state.error !== err) logger.error({ err, requestId }, 'request failed');
    state.error = err;
  };
}

/** Logs one line per request when its response is complete, with the error in `state.error`. */
export function logRequests(logger: Logger): Middleware {
  return function logRequests(ctx, next) {
    const start = performance.now();
    ctx.onFinish(({ status, aborted, error }) => {
      const { method, path, pattern: route, state } = ctx;
      // A stream that fails is reported only after its connection has closed.
      if (aborted && !isHttpError(error)) state.error ??= error;
      const { requestId, traceId, error: err } = state;
      const level = err === undefined ? levelOf(status, route) : 'error';
      if (!logger.isLevelEnabled(level)) return;
      const duration = Math.round((performance.now() - start) * 1_000) / 1_000;
      const line = { method, path, route, status, duration, requestId, traceId, err };
      logger[level](aborted ? { ...line, aborted } : line, 'request');
    });
    return next();
  };
}

function levelOf(status: number, route: string | undefined): 'error' | 'info' | 'debug' {
  // Probes and scrapers poll these.
  if (route === '/metrics' || route?.startsWith('/health/')) return 'debug';
  return status >= 500 ? 'error' : 'info';
}

/**
 * Describes a thrown value for the log, without data that users have sent.
 *
 * Other properties of an error are omitted, because drivers store user data in them. The message of
 * a PostgreSQL error may quote user data, so the SQLSTATE and routine replace it. An HttpError caused
 * by a {@link StoreError} is described by its cause. A transient StoreError has no stack, because it
 * may occur with every request during an outage.
 */
export function describeError(error: unknown): object {
  const isStoreFailure = error instanceof HttpError && error.cause instanceof StoreError;
  const described = isStoreFailure ? error.cause : error;
  const isTransient = described instanceof StoreError && described.isTransient;
  return describe(described, MAX_NESTED, !isTransient);
}

function describe(error: unknown, depth: number, hasStack: boolean): object {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'thrown value is not an Error' };
  const { name, message, cause, stack = '' } = error;
  const { code, severity, routine } = error as {
    code?: string;
    severity?: string;
    routine?: string;
  };
  const isFromPostgres = severity !== undefined && code !== undefined;
  const hasErrors = depth > 0 && error instanceof AggregateError;
  const inner = (one: unknown) => describe(one, depth - 1, hasStack);
  return {
    type: name,
    message: isFromPostgres ? `PostgreSQL: SQLSTATE ${code}, ${routine ?? severity}` : message,
    code: code === undefined ? undefined : String(code),
    stack: hasStack ? /^ {4}at .*/ms.exec(stack)?.[0] : undefined,
    cause: depth > 0 && cause !== undefined ? inner(cause) : undefined,
    errors: hasErrors ? error.errors.slice(0, MAX_NESTED).map(inner) : undefined,
  };
}
