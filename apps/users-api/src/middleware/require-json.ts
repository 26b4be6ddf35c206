import {
  BadRequestError,
  type Context,
  type Middleware,
  UnsupportedMediaTypeError,
} from '@fairlead/core';

/**
 * Rejects a request body that `json()` left unread because it is not declared as JSON. Requests with
 * an empty body or none pass, and the handler reports the missing fields.
 *
 * @throws {UnsupportedMediaTypeError} 415 with `Accept: application/json`, for a body of another type.
 * @throws {BadRequestError} 400 `BODY_ABORTED`, when the client disconnects before sending any byte.
 * @see RFC 9110 §15.5.16
 */
export const requireJson: Middleware = (ctx, next) => {
  // An empty body that was read has ended without emitting data.
  const isRead = ctx.req.readableDidRead || ctx.req.readableEnded;
  if (!ctx.hasBody || isRead) return next();
  if (ctx.get('Content-Length') !== undefined) throw notJson(ctx);
  return hasBytes(ctx).then((found) => {
    if (found) throw notJson(ctx);
    return next();
  });
};

/** Whether a chunked body contains any byte. Discards the body. */
function hasBytes(ctx: Context): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onClose = () => {
      const message = 'The client disconnected before the body was complete.';
      reject(new BadRequestError(message, { code: 'BODY_ABORTED' }));
    };
    const body = ctx.bodyStream();
    if (body.destroyed) onClose();
    // The stream keeps flowing after the first chunk, which keeps the connection usable.
    body.once('data', () => resolve(true)).once('end', () => resolve(false));
    body.once('close', onClose);
  });
}

function notJson(ctx: Context): UnsupportedMediaTypeError {
  const type = ctx.get('Content-Type');
  return new UnsupportedMediaTypeError(
    `The body has ${type ? `the type ${type}` : 'no Content-Type'}. Send it as application/json.`,
    { headers: { Accept: 'application/json' } },
  );
}
