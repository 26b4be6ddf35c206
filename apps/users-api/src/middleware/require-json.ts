import { type Context, type Middleware, UnsupportedMediaTypeError } from '@fairlead/core';

/**
 * Refuses a request body that `json()` left unread, because it is not declared as JSON. A request
 * without a body passes: what it lacks is for the handler to say.
 *
 * @throws {UnsupportedMediaTypeError} 415, with `Accept: application/json`.
 * @see RFC 9110 §15.5.16
 */
export const requireJson: Middleware = (ctx, next) => {
  const type = ctx.get('content-type');
  if (ctx.body === undefined && hasBody(ctx) && !isJson(type)) {
    throw new UnsupportedMediaTypeError(
      `Send the body as application/json; it came ${type ? `as ${type}` : 'without a Content-Type'}.`,
      { headers: { Accept: 'application/json' } },
    );
  }
  return next();
};

// RFC 9112 §6.3: one of these two headers tells that a request has a body.
function hasBody(ctx: Context): boolean {
  return ctx.get('transfer-encoding') !== undefined || (ctx.get('content-length') ?? '0') !== '0';
}

function isJson(type: string | undefined): boolean {
  return /^application\/([^;\s]+\+)?json\s*(;|$)/i.test(type ?? '');
}
