import {
  BadRequestError,
  type Context,
  type Middleware,
  UnsupportedMediaTypeError,
} from '@fairlead/core';

/**
 * Refuses a request body that `json()` left unread, because it is not declared as JSON. A request
 * without a body passes, also one whose chunks hold none: what it lacks is for the handler to say.
 *
 * @throws {UnsupportedMediaTypeError} 415, with `Accept: application/json`.
 * @throws {BadRequestError} 400 `BODY_ABORTED`, when the client stops before it has sent a chunk.
 * @see RFC 9110 §15.5.16
 */
export const requireJson: Middleware = (ctx, next) => {
  // An empty body that was read has ended without a byte.
  const isRead = ctx.req.readableDidRead || ctx.req.readableEnded;
  if (!ctx.hasBody || isRead) return next();
  if (ctx.get('Content-Length') !== undefined) throw notJson(ctx);
  return hasBytes(ctx).then((found) => {
    if (found) throw notJson(ctx);
    return next();
  });
};

/** Whether a body in chunks holds any byte; what it holds is dropped. */
function hasBytes(ctx: Context): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onClose = () => {
      const message = 'The client stopped before the body was complete.';
      reject(new BadRequestError(message, { code: 'BODY_ABORTED' }));
    };
    const body = ctx.bodyStream();
    if (body.destroyed) onClose();
    // Without its listener the stream flows on, so that the connection stays in step.
    body.once('data', () => resolve(true)).once('end', () => resolve(false));
    body.once('close', onClose);
  });
}

function notJson(ctx: Context): UnsupportedMediaTypeError {
  const type = ctx.get('Content-Type');
  return new UnsupportedMediaTypeError(
    `Send the body as application/json; it came ${type ? `as ${type}` : 'without a Content-Type'}.`,
    { headers: { Accept: 'application/json' } },
  );
}
