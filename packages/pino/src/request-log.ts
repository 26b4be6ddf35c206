// Tests may replace the global one.
import { setImmediate } from 'node:timers';
import {
  type AnyContext,
  type Context,
  type Middleware,
  type RequestOutcome,
  SetupError,
} from '@fairlead/core';
import { assertOptions, describe, describeFactories, readHttpError } from '@fairlead/core/extend';
import { describeValue, fn, hasMethods, type Kinds, named } from '@fairlead/options';
import type { Logger } from 'pino';

/** Options of {@link logRequests}. */
export interface RequestLogOptions {
  /**
   * Called when the response is complete, with `ctx.pattern` set. Return true to log the request at level
   * debug, such as for probes.
   */
  readonly quiet?: (ctx: Context) => boolean;
}

const REQUEST_LOG_OPTIONS: Kinds<RequestLogOptions> = { quiet: fn };

/** Message of a request's line. */
const REQUEST = 'request';

/** The errors that the lines of requests show. */
const shown = new WeakMap<AnyContext, unknown>();

/**
 * Logs one line per request when its response was sent completely, or its connection closed.
 *
 * The line has `method`, `path` without the query, `route` (the pattern), `status`, `code` of the HttpError
 * behind the response, `duration` (milliseconds from this middleware to the end of the response), `requestId`
 * and `traceId` of `ctx.state`, the error behind the response as `err`, and `aborted` if the client did not
 * receive all of it. Its level is `error` with an error, `debug` for a quiet request, `error` for a status of
 * 500 or above, and `info` otherwise.
 *
 * An error whose message clients receive, such as a 404, does not change the level. The line has it as `err`
 * only if the logger logs level `debug`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when `logger` is not a pino logger, or an option is unknown
 *   or invalid.
 */
export function logRequests(logger: Logger, options: RequestLogOptions = {}): Middleware {
  assertLogger('logRequests()', logger);
  assertOptions('logRequests()', options, REQUEST_LOG_OPTIONS);
  const { quiet } = options;
  return describe<Middleware>(
    named('logRequests', (ctx, next) => {
      const start = performance.now();
      ctx.onFinish((outcome) => {
        const { status, aborted, error } = outcome;
        const fault = findFault(outcome);
        const level = fault === undefined ? levelOf(status, quiet?.(ctx)) : 'error';
        if (!logger.isLevelEnabled(level)) return;
        const { method, path, pattern: route } = ctx;
        const { requestId, traceId } = ctx.state;
        const duration = Math.round((performance.now() - start) * 1_000) / 1_000;
        if (error === undefined && !aborted) {
          const line = { method, path, route, status, duration, requestId, traceId };
          return logger[level](line, REQUEST);
        }
        const code = readHttpError(error)?.code;
        const err = logger.isLevelEnabled('debug') ? error : fault;
        if (err !== undefined) shown.set(ctx, err);
        const line = { method, path, route, status, code, duration, requestId, traceId, err };
        logger[level](aborted ? { ...line, aborted } : line, REQUEST);
      });
      return next();
    }),
    { role: 'middleware' },
  );
}

/**
 * Returns a function for `onError` of `errorHandler()` or `createApp()`, which logs the errors that no line of
 * {@link logRequests} shows, such as one that is thrown after the response. Each error is then logged once.
 *
 * @throws {SetupError} `INVALID_OPTION`, when `logger` is not a pino logger.
 */
export function logErrors(logger: Logger): (error: unknown, ctx: AnyContext) => void {
  assertLogger('logErrors()', logger);
  return (err, ctx) => {
    const log = (): void => {
      const { requestId, traceId } = ctx.state;
      if (shown.get(ctx) !== err) logger.error({ err, requestId, traceId }, 'request failed');
    };
    const { res, status } = ctx;
    const logLast = (): void => (res.closed ? log() : ctx.onFinish(log));
    // A connection that stays open, such as that of a WebSocket, may report many.
    if (status === 101) log();
    else if (!res.headersSent || res.destroyed) logLast();
    // A stream reports its failure before it destroys the response.
    else setImmediate(() => (res.destroyed ? logLast() : log()));
  };
}

/** Whether a parsed line is that of a request. */
export function isRequestLine({ msg, status }: Readonly<Record<string, unknown>>): boolean {
  return msg === REQUEST && status !== undefined;
}

/** Returns the error behind a response unless the client caused it. */
function findFault({ status, aborted, error }: RequestOutcome): unknown {
  if (error === undefined) return undefined;
  const isFault = readHttpError(error)?.report ?? (aborted || status >= 500);
  return isFault ? error : undefined;
}

function levelOf(status: number, isQuiet = false): 'error' | 'info' | 'debug' {
  if (isQuiet) return 'debug';
  return status >= 500 ? 'error' : 'info';
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertLogger(call: string, logger: unknown): void {
  if (hasMethods('isLevelEnabled')(logger)) return;
  throw new SetupError(
    'INVALID_OPTION',
    `logger of ${call} must be a pino logger, such as the result of createLogger(): got ${describeValue(logger)}.`,
  );
}

describeFactories(logRequests);
