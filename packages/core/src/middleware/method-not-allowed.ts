import type { Context } from '../context/context.js';
import { BadRequestError, type HttpError, MethodNotAllowedError } from '../errors/http-error.js';
import { EXCHANGE } from '../exchange/exchange.js';
import { acceptQuery } from '../exchange/media-type.js';
import { recordError } from '../response/record.js';
import { ALL } from '../router/route-methods.js';
import { handlesMethod } from '../router/tree.js';
import type { ErrorFormatter } from './error-handler.js';

/**
 * Responds to a request whose path has routes, but none for its version or its method.
 *
 * @returns Whether it responded. Otherwise the path is unknown, or its route called `next()`.
 * @throws {BadRequestError} 400, when the request target is malformed.
 */
export function respondToOtherMethod(ctx: Context, format?: ErrorFormatter): boolean {
  assertTarget(ctx);
  const exchange = ctx[EXCHANGE];
  const { routes } = exchange.environment;
  const methods = routes.methods(ctx.path, exchange);
  const error = methods.size === 0 ? routes.refuse?.(exchange) : undefined;
  if (error !== undefined) {
    respondWith(ctx, error, format);
    return true;
  }
  const isOtherMethod = methods.size > 0 && !handlesMethod(methods, ctx.method);
  if (!isOtherMethod && ctx.path !== '*') return false;
  const allow = allowedMethods(methods);
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow.join(', '));
    const types = routes.queryTypes(ctx.path);
    for (const [name, value] of Object.entries(acceptQuery(types))) ctx.set(name, value);
    return true;
  }
  const detail = `${ctx.path} does not support ${ctx.method}. Use one of ${allow.join(', ')}.`;
  respondWith(ctx, new MethodNotAllowedError(detail, { allow }), format);
  return true;
}

export function respondWith(
  ctx: Context,
  error: HttpError,
  format = ctx[EXCHANGE].errors.format,
): void {
  recordError(ctx[EXCHANGE], ctx, error, { includeStack: false, format });
}

/** @throws {BadRequestError} 400 `MALFORMED_TARGET` */
export function assertTarget(ctx: Context): void {
  if (!ctx[EXCHANGE].target.malformed) return;
  throw new BadRequestError(
    'The request target is malformed. Send a path with valid percent-encoded UTF-8.',
    { code: 'MALFORMED_TARGET' },
  );
}

/** The methods that `Allow` lists for {@link ALL}. */
const COMMON_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY'];

/**
 * Returns the methods of an `Allow` header.
 *
 * @param methods - Methods of the routes that match a path. `ALL` expands to the {@link COMMON_METHODS}.
 * @see RFC 9110 §10.2.1
 */
export function allowedMethods(methods: ReadonlySet<string>): readonly string[] {
  const allowed = new Set(methods).add('OPTIONS');
  if (allowed.delete(ALL)) for (const method of COMMON_METHODS) allowed.add(method);
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort();
}
