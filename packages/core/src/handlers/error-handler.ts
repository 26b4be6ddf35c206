import { type Context, internals } from '../context/context.js';
import { isPromiseLike } from '../context/next.js';
import { readHttpError } from '../errors/http-error.js';
import type { Middleware } from '../pipeline/middleware.js';
import { answerProblem } from './answer-problem.js';

/** Options of {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /** Whether error bodies show stacks. Default false; never true in production. */
  readonly includeStack?: boolean;
  /**
   * Called with every error whose message is hidden from the client, and with what ends a stream
   * while it is sent. Default: `console.error`.
   */
  readonly onError?: (error: unknown, ctx: Context) => void;
}

/**
 * Turns what is thrown below it into a problem body. Comes first, because it wraps the rest.
 *
 * An HttpError gives its status, code, message and details. An error of another library that follows
 * the package http-errors, with a status from 400 to 499, gives its status, message and headers. An
 * error with `expose: false` keeps its status, but gives a generic message and goes to `onError`.
 * Anything else gives a generic 500 and goes to `onError`.
 *
 * @see RFC 9457
 */
export function errorHandler(options: ErrorHandlerOptions = {}): Middleware {
  const { onError = logError } = options;
  // The text 'false' of an environment variable shows no stack either.
  const includeStack = options.includeStack === true;
  const answer = (ctx: Context, error: unknown): void => {
    answerError(ctx, error, includeStack, onError);
  };
  return function errorHandler(ctx, next) {
    internals.answerOf(ctx).onError ??= onError;
    try {
      const result = next();
      if (isPromiseLike(result)) return result.then(undefined, (error) => answer(ctx, error));
    } catch (error) {
      answer(ctx, error);
    }
  };
}

/** Answers with an error, or, when the response has begun, closes the connection. */
export function answerError(
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
  const answered = answerProblemOf(ctx, error, includeStack);
  if (!readHttpError(answered)?.expose) onError(answered, ctx);
}

/** Answers with an error, or with another that tells why this one cannot be written; returns which. */
function answerProblemOf(ctx: Context, error: unknown, includeStack: boolean): unknown {
  try {
    answerProblem(ctx, error, includeStack);
    return error;
  } catch (failure) {
    const both = new AggregateError(
      [error, failure],
      'An error could not be written as a response.',
    );
    answerProblem(ctx, both, includeStack);
    return both;
  }
}

/** Writes an error to stderr, with its stack and causes. */
export function logError(error: unknown): void {
  console.error(error);
}
