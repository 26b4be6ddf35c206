import { type Context, internals } from '../context.js';
import { BadRequestError, MethodNotAllowedError, NotFoundError } from '../errors/http-error.js';
import type { Middleware } from '../pipeline.js';
import { ALL } from '../router/router.js';
import { handlesMethod } from '../router/tree.js';
import { respondWithProblem } from './error-handler.js';

/**
 * Responds to requests that no middleware or route has handled. Register it last.
 *
 * An unknown path gets 404. A known path with another method gets 405, or 204 for OPTIONS, both with
 * `Allow`. If a route matches but calls `next()`, and nothing responds, the request gets 404.
 *
 * @see RFC 9110 §9.3.7, §15.5.5, §15.5.6
 */
export function notFoundHandler(): Middleware {
  return function notFoundHandler(ctx) {
    if (!ctx.answered) respondNotFound(ctx);
  };
}

/**
 * Responds to an unhandled request as {@link notFoundHandler} describes.
 *
 * @throws {BadRequestError} 400, when the request target is malformed.
 */
export function respondNotFound(ctx: Context): void {
  assertTarget(ctx);
  const methods = internals.allowedMethods(ctx);
  // A route that matched but called next() gets 404: its method is supported.
  const isOtherMethod = methods.size > 0 && !handlesMethod(methods, ctx.method);
  if (!isOtherMethod && ctx.path !== '*') {
    const detail =
      ctx.pattern === undefined
        ? `No route matches ${ctx.path}.`
        : `The route ${ctx.pattern} matches ${ctx.path}, but nothing sent a response.`;
    respondWithProblem(ctx, new NotFoundError(detail));
    return;
  }
  const allow = formatAllow(methods);
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow);
    return;
  }
  const detail = `${ctx.path} does not support ${ctx.method}. Use one of ${allow}.`;
  respondWithProblem(ctx, new MethodNotAllowedError(detail, { headers: { Allow: allow } }));
}

/**
 * Checks that the request target is well formed.
 *
 * @throws {BadRequestError} 400 `MALFORMED_TARGET`
 */
export function assertTarget(ctx: Context): void {
  if (!internals.targetOf(ctx).malformed) return;
  throw new BadRequestError(
    'The request target is malformed. Send a path with valid percent-encoded UTF-8.',
    { code: 'MALFORMED_TARGET' },
  );
}

/** The methods that `Allow` lists for {@link ALL}. */
const COMMON_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/**
 * Formats an `Allow` header.
 *
 * @param methods - Methods of the routes that match a path. `ALL` expands to the {@link COMMON_METHODS}.
 * @see RFC 9110 §10.2.1
 */
export function formatAllow(methods: ReadonlySet<string>): string {
  const allowed = new Set(methods).add('OPTIONS');
  if (allowed.delete(ALL)) for (const method of COMMON_METHODS) allowed.add(method);
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort().join(', ');
}
