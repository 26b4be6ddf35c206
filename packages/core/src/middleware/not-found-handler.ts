import { fn, type Kinds, named } from '@fairlead/options';
import { describe } from '../annotations/description.js';
import type { Context } from '../context/context.js';
import { refuseContext } from '../context/context-errors.js';
import {
  BadRequestError,
  type HttpError,
  MethodNotAllowedError,
  NotFoundError,
  unknownPath,
} from '../errors/http-error.js';
import { EXCHANGE, isFilled } from '../exchange/exchange.js';
import { acceptQuery } from '../exchange/media-type.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import { recordError } from '../response/record.js';
import { ALL } from '../router/route-methods.js';
import type { Handler } from '../router/route-options.js';
import { handlesMethod } from '../router/tree.js';
import { assertOptions } from '../setup/options.js';
import { markCopy } from '../setup/package-copies.js';
import type { ErrorFormatter } from './error-handler.js';

/** Options of {@link notFoundHandler}. */
export interface NotFoundHandlerOptions {
  /** Returns the body for a 404 or 405. Default: the `format` of the error handler or of `createApp()`. */
  readonly format?: ErrorFormatter;
}

const NOT_FOUND_HANDLER_OPTIONS: Kinds<NotFoundHandlerOptions> = { format: fn };

/**
 * Responds to requests that no middleware or route has handled. Register it last.
 *
 * An unknown path gets 404. A known path with another method gets 405, or 204 for OPTIONS, both with
 * `Allow`. If it has a QUERY route, the 204 lists the media types of its bodies in `Accept-Query`. If a route
 * matches but calls `next()`, and nothing responds, the request gets 404.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 9110 §9.3.7, §15.5.5, §15.5.6; RFC 10008 §3
 */
export function notFoundHandler(options: NotFoundHandlerOptions = {}): Middleware {
  assertOptions('notFoundHandler()', options, NOT_FOUND_HANDLER_OPTIONS);
  const { format } = options;
  const middleware: Middleware = (ctx) => {
    if (ctx[EXCHANGE] === undefined) refuseContext('notFoundHandler()', ctx);
    if (!ctx.answered && !respondToOtherMethod(ctx, format)) respondNotFound(ctx, format);
  };
  return describe(markCopy(named('notFoundHandler', middleware)), { role: 'notFoundHandler' });
}

/**
 * Creates the last middleware of an application: a {@link notFoundHandler} that lets a function respond
 * to unknown paths.
 *
 * @param handler - Called with the status set to 404. If it does not respond, the default body is sent.
 */
export function createLastMiddleware(handler: Handler | undefined): Middleware {
  if (handler === undefined) return notFoundHandler();
  return (ctx, next) => {
    if (ctx.answered || respondToOtherMethod(ctx)) return;
    ctx.status = 404;
    const respond = (value: unknown): void => {
      ctx.respond(value);
      if (!isFilled(ctx[EXCHANGE])) respondNotFound(ctx);
    };
    const result = handler(ctx, next);
    return isPromiseLike(result) ? result.then(respond) : respond(result);
  };
}

/**
 * Responds to a request whose path has routes, but none for its method.
 *
 * @returns Whether it responded. Otherwise the path is unknown, or its route called `next()`.
 * @throws {BadRequestError} 400, when the request target is malformed.
 */
function respondToOtherMethod(ctx: Context, format?: ErrorFormatter): boolean {
  assertTarget(ctx);
  const methods = ctx[EXCHANGE].environment.routes.methods(ctx.path);
  const isOtherMethod = methods.size > 0 && !handlesMethod(methods, ctx.method);
  if (!isOtherMethod && ctx.path !== '*') return false;
  const allow = allowedMethods(methods);
  if (ctx.method === 'OPTIONS') {
    ctx.status = 204;
    ctx.set('Allow', allow.join(', '));
    const types = ctx[EXCHANGE].environment.routes.queryTypes(ctx.path);
    for (const [name, value] of Object.entries(acceptQuery(types))) ctx.set(name, value);
    return true;
  }
  const detail = `${ctx.path} does not support ${ctx.method}. Use one of ${allow.join(', ')}.`;
  respondWith(ctx, new MethodNotAllowedError(detail, { allow }), format);
  return true;
}

/** Responds with 404. */
function respondNotFound(ctx: Context, format?: ErrorFormatter): void {
  const unanswered = `The route ${ctx.pattern} matches ${ctx.path}, but nothing sent a response.`;
  const error = ctx.pattern === undefined ? unknownPath(ctx.path) : new NotFoundError(unanswered);
  respondWith(ctx, error, format);
}

function respondWith(ctx: Context, error: HttpError, format = ctx[EXCHANGE].errors.format): void {
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
