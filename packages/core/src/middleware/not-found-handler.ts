import { fn, type Kinds, named } from '@fairlead/options';
import { describe } from '../annotations/description.js';
import type { Context } from '../context/context.js';
import { refuseContext } from '../context/context-errors.js';
import { NotFoundError, unknownPath } from '../errors/http-error.js';
import { EXCHANGE, isFilled } from '../exchange/exchange.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { isPromiseLike } from '../promise.js';
import type { Handler } from '../router/route-options.js';
import { assertOptions } from '../setup/options.js';
import { markCopy } from '../setup/package-copies.js';
import type { ErrorFormatter } from './error-handler.js';
import { respondToOtherMethod, respondWith } from './method-not-allowed.js';

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

/** Responds with 404. */
function respondNotFound(ctx: Context, format?: ErrorFormatter): void {
  const unanswered = `The route ${ctx.pattern} matches ${ctx.path}, but nothing sent a response.`;
  const error = ctx.pattern === undefined ? unknownPath(ctx.path) : new NotFoundError(unanswered);
  respondWith(ctx, error, format);
}
