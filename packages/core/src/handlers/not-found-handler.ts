import { type Context, internals } from '../context/context.js';
import { BadRequestError, MethodNotAllowedError, NotFoundError } from '../errors/http-errors.js';
import type { Middleware } from '../pipeline/middleware.js';
import { answersMethod, formatAllow } from '../router/method.js';
import { answerProblem } from './answer-problem.js';

/**
 * Answers 404 for an unknown path, or a route that passed on; for a known path, 204 to OPTIONS and 405 to
 * other methods, both with `Allow`. Comes last; leaves an answered context alone.
 *
 * @see RFC 9110 §9.3.7, §15.5.5, §15.5.6
 */
export function notFoundHandler(): Middleware {
  return function notFoundHandler(ctx) {
    if (!ctx.answered) answerNotFound(ctx);
  };
}

/**
 * Answers a request that no route has answered, as {@link notFoundHandler} describes.
 *
 * @throws {BadRequestError} 400, when the request target is malformed.
 */
export function answerNotFound(ctx: Context): void {
  assertTarget(ctx);
  const methods = internals.allowedMethods(ctx);
  // Where a route has met the request and passed it on, another method would be no better.
  const isOtherMethod = methods.size > 0 && !answersMethod(methods, ctx.method);
  if (!isOtherMethod && ctx.path !== '*') {
    const detail =
      ctx.pattern === undefined
        ? `No route matches ${ctx.path}.`
        : `The route ${ctx.pattern} matches ${ctx.path}, and nothing answered.`;
    answerProblem(ctx, new NotFoundError(detail));
    return;
  }
  const allow = formatAllow(methods);
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow);
    return;
  }
  const detail = `${ctx.path} does not answer ${ctx.method}; it answers ${allow}.`;
  answerProblem(ctx, new MethodNotAllowedError(detail, { headers: { Allow: allow } }));
}

/**
 * Refuses a malformed request target.
 *
 * @throws {BadRequestError} 400 `MALFORMED_TARGET`
 */
export function assertTarget(ctx: Context): void {
  if (!internals.targetOf(ctx).malformed) return;
  throw new BadRequestError(
    'The request target is malformed: it must be a path with valid percent-encoded UTF-8.',
    { code: 'MALFORMED_TARGET' },
  );
}
