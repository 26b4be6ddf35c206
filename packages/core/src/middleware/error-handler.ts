import { type Context, internals } from '../context.js';
import { readHttpError } from '../errors/http-error.js';
import { describeProblem } from '../errors/problem.js';
import { isPromiseLike } from '../next.js';
import type { Middleware } from '../pipeline.js';

/** Options of {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /** Whether error bodies include stacks; false by default. Do not enable it in production. */
  readonly includeStack?: boolean;
  /**
   * Called with every error whose message is hidden from the client, and with errors of streamed
   * bodies; `console.error` by default.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

/**
 * Converts errors from downstream middleware into problem bodies. Register it first.
 *
 * - An HttpError sets the status, code, message, details and headers of the response.
 * - An error with the shape of the npm package http-errors and a status from 400 to 499 sets the status,
 *   message and headers.
 * - An error with `expose: false` keeps its status, but the client receives a generic message. `onError`
 *   receives the error.
 * - For any other value, the client receives a generic 500, and `onError` receives the value.
 *
 * @see RFC 9457
 */
export function errorHandler(options: ErrorHandlerOptions = {}): Middleware {
  const { onError = logError } = options;
  // The string 'false', as from an environment variable, must not enable stacks.
  const includeStack = options.includeStack === true;
  const respond = (ctx: Context, error: unknown): void => {
    respondWithError(ctx, error, includeStack, onError);
  };
  return function errorHandler(ctx, next) {
    internals.responseOf(ctx).onError ??= onError;
    try {
      const result = next();
      if (isPromiseLike(result)) return result.then(undefined, (error) => respond(ctx, error));
    } catch (error) {
      respond(ctx, error);
    }
  };
}

/** Responds with an error, or closes the connection when the response has already started. */
export function respondWithError(
  ctx: Context,
  error: unknown,
  includeStack: boolean,
  onError: (error: unknown, ctx: Context) => void,
): void {
  if (ctx.res.headersSent) {
    ctx.res.destroy();
    onError(error, ctx);
    return;
  }
  const sent = respondWithSerializable(ctx, error, includeStack);
  if (!readHttpError(sent)?.expose) onError(sent, ctx);
}

/**
 * Responds with an error, or with a generic 500 when the error cannot be serialized.
 *
 * @returns The error of the response.
 */
function respondWithSerializable(ctx: Context, error: unknown, includeStack: boolean): unknown {
  try {
    respondWithProblem(ctx, error, includeStack);
    return error;
  } catch (failure) {
    const both = new AggregateError(
      [error, failure],
      'An error could not be written as a response. Check its details and headers.',
    );
    respondWithProblem(ctx, both, includeStack);
    return both;
  }
}

/**
 * Replaces the recorded response with an error's problem body. Keeps headers that do not describe a
 * body, such as those of CORS.
 *
 * @param error - Any thrown value.
 * @param includeStack - Whether the body includes the error's stack.
 * @see RFC 9457
 */
export function respondWithProblem(ctx: Context, error: unknown, includeStack = false): void {
  const problem = describeProblem(error, ctx.path, includeStack);
  const body = JSON.stringify(problem);
  const response = internals.responseOf(ctx);
  response.reset();
  response.status = problem.status;
  response.record(body, 'application/problem+json');
  for (const [name, value] of Object.entries(readHttpError(error)?.headers ?? {})) {
    // `Vary` accumulates. Other headers of the error replace earlier ones.
    if (name.toLowerCase() === 'vary') response.headers.append(name, value);
    else response.headers.set(name, value);
  }
}

/** Logs an error to stderr, with its stack and causes. */
export function logError(error: unknown): void {
  console.error(error);
}
