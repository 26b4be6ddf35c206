import { channel } from 'node:diagnostics_channel';
import { boolean, fn, type Kinds, named, printable } from '@fairlead/options';
import { describe } from '../annotations/description.js';
import type { Context } from '../context/context.js';
import { refuseContext } from '../context/context-errors.js';
import { isHttpError, isReported } from '../errors/http-error.js';
import type { Problem } from '../errors/problem.js';
import { isOfClient } from '../exchange/disconnection.js';
import { EXCHANGE, type ErrorPolicy as ExchangeErrorPolicy } from '../exchange/exchange.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import { recordSerializable } from '../response/record.js';
import { closeUnanswered } from '../server/upgrade.js';
import { assertOptions } from '../setup/options.js';
import { markCopy } from '../setup/package-copies.js';

/** How the errors of a request become responses. */
export type ErrorPolicy = ExchangeErrorPolicy<Context>;

/**
 * Returns the body for an error, in a format that you choose. The status and the headers of the error are
 * already set. The body is sent as `application/json`, unless the function sets another `Content-Type` or
 * responds through `ctx`.
 *
 * @param problem - The standard body, without hidden messages.
 * @param error - The thrown value. Do not send parts of it to clients unless `problem` has them.
 * @returns A JSON value; undefined for `problem` itself.
 */
export type ErrorFormatter = (problem: Problem, error: unknown, ctx: Context) => unknown;

/** Options of {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /** Whether error bodies include stacks; false by default. Do not enable it in production. */
  readonly includeStack?: boolean;
  /**
   * Called with every error whose message is hidden from the client, with other errors whose `report`
   * is true, with errors of streamed bodies, and with those that `ctx.report()` receives. By default,
   * `console.error` prints the stack, the code and the causes. Not called with errors that only say that
   * the client has disconnected, such as an `AbortError`.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
  /** Returns the body for an error; the problem body of RFC 9457 by default. */
  readonly format?: ErrorFormatter;
}

/** The options of {@link errorHandler}, and what they accept. */
export const ERROR_HANDLER_OPTIONS: Kinds<ErrorHandlerOptions> = {
  includeStack: boolean,
  onError: fn,
  format: fn,
};

/** A message on the diagnostics channel `fairlead:error`: an error that `onError` receives. */
export interface PublishedError {
  /** The thrown value. */
  readonly error: unknown;
  /** The request. */
  readonly ctx: Context;
}

const errorChannel = channel('fairlead:error');

/**
 * Converts errors from downstream middleware into problem bodies. Register it before all other middleware,
 * except for middleware that changes its responses, such as compression(). Omitted options
 * default to those of `createApp()`.
 *
 * - An HttpError sets the status, code, message, details and headers of the response.
 * - An error with the shape of the npm package http-errors and a status from 400 to 499 sets the status,
 *   message and headers.
 * - An error with `expose: false` keeps its status, but the client receives a generic message. `onError`
 *   receives the error.
 * - For any other value, the client receives a generic 500, and `onError` receives the value.
 *
 * Every error that `onError` receives is also published on the diagnostics channel `fairlead:error`, as
 * a {@link PublishedError}.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 9457
 */
export function errorHandler(options: ErrorHandlerOptions = {}): Middleware {
  assertOptions('errorHandler()', options, ERROR_HANDLER_OPTIONS);
  // Every request of an application has the same base policy, unless error handlers are nested.
  let last = {
    base: DEFAULT_ERROR_POLICY,
    policy: createErrorPolicy(options, DEFAULT_ERROR_POLICY),
  };
  const policyFor = (base: ErrorPolicy): ErrorPolicy => {
    last = { base, policy: createErrorPolicy(options, base) };
    return last.policy;
  };
  const middleware: Middleware = (ctx, next) => {
    const exchange = ctx[EXCHANGE] ?? refuseContext('errorHandler()', ctx);
    const { errors, environment } = exchange;
    const policy = errors === last.base ? last.policy : policyFor(errors);
    // An outer error handler has set another policy.
    if (errors === environment.errors) exchange.errors = policy;
    try {
      const result = next();
      if (result !== undefined && isPromiseLike(result)) {
        return result.then(undefined, (error) => respondWithError(ctx, error, policy));
      }
    } catch (error) {
      respondWithError(ctx, error, policy);
    }
  };
  const warning = () => describeStacks('errorHandler()', options);
  optionsOf.set(middleware, options);
  return describe(markCopy(named('errorHandler', middleware)), { role: 'errorHandler', warning });
}

/** The options of error handlers. */
const optionsOf = new WeakMap<object, ErrorHandlerOptions>();

/** Returns the policy of an {@link errorHandler} that adds to another one; undefined for another step. */
export function policyOf(step: object, base: ErrorPolicy): ErrorPolicy | undefined {
  const options = optionsOf.get(step);
  return options && createErrorPolicy(options, base);
}

/**
 * Whether options, or those of an {@link errorHandler}, have a `format` that cannot pass on the problem as it is: it
 * takes single members of the problem, or none.
 */
export function replacesProblems(
  value: Middleware | { readonly format?: ErrorPolicy['format'] },
): boolean {
  const { format } = typeof value === 'function' ? (optionsOf.get(value) ?? {}) : value;
  const [, members = '...'] = /^[^()]*\(\s*(?:\{([^{}]*)\}|(?=\)))/.exec(`${format}`) ?? [];
  return format !== undefined && (format.length === 0 || !members.includes('...'));
}

/** Warns about stacks in the responses of a service in production. */
export function describeStacks(
  call: string,
  { includeStack = false }: { readonly includeStack?: boolean },
): string | undefined {
  if (!includeStack || process.env.NODE_ENV !== 'production') return undefined;
  const subject = call === 'createApp()' ? 'the application' : 'the middleware';
  return `${call} sends stacks to clients, and NODE_ENV is 'production'. Remove includeStack, or pass ${subject} to intended().`;
}

/** The error policy of an application without options. */
export const DEFAULT_ERROR_POLICY: ErrorPolicy = Object.freeze({
  includeStack: false,
  onError: publishing(logError),
  format: undefined,
});

/** Fills in omitted options from another policy. */
export function createErrorPolicy(
  { includeStack, onError, format }: ErrorHandlerOptions,
  base: ErrorPolicy,
): ErrorPolicy {
  return Object.freeze({
    includeStack: includeStack ?? base.includeStack,
    onError: onError === undefined ? base.onError : publishing(onError),
    format: format ?? base.format,
  });
}

/**
 * Wraps `onError` so that it also publishes the error on the diagnostics channel. If `onError` itself
 * fails, both errors are logged.
 */
function publishing(onError: ErrorPolicy['onError']): ErrorPolicy['onError'] {
  return (error, ctx) => {
    if (errorChannel.hasSubscribers) errorChannel.publish({ error, ctx } satisfies PublishedError);
    const fail = (failure: unknown): void => {
      logError(new AggregateError([error, failure], 'onError failed to report an error.'));
    };
    try {
      const result: unknown = onError(error, ctx);
      if (isPromiseLike(result)) Promise.resolve(result).catch(fail);
    } catch (failure) {
      fail(failure);
    }
  };
}

/**
 * Responds with an error, or closes the connection when the response has already started. Ignores an error that
 * is only a consequence of the client disconnecting.
 */
export function respondWithError(ctx: Context, error: unknown, policy: ErrorPolicy): void {
  if (isOfClient(error, ctx[EXCHANGE])) return;
  const { onError } = policy;
  if (ctx.res.headersSent) {
    ctx[EXCHANGE].error = error;
    ctx.res.destroy();
    onError(error, ctx);
    return;
  }
  const { phase, controller } = ctx[EXCHANGE];
  if (phase === 'upgraded') closeUnanswered(ctx.res);
  // ctx.abort() has made it the response, and reported it.
  if (phase === 'final' && controller?.signal.reason === error) return;
  // Middleware of Express may have set one that is invalid, or that of another status.
  ctx.res.statusMessage = '';
  const sent = recordSerializable(ctx[EXCHANGE], ctx, error, policy);
  if (isReported(sent)) onError(sent, ctx);
}

/** Logs an error to stderr, with its stack and causes. Other properties may have user data, but for those of HttpError. */
export function logError(error: unknown): void {
  console.error(printable(error, isHttpError));
}
