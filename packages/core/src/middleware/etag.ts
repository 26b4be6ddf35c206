import { after } from '../context/after.js';
import type { Context } from '../context/context.js';
import type { Middleware } from '../pipeline/middleware.js';

/**
 * Gives answers of GET and HEAD with status 200 an `ETag` of their bytes, unless they have one, and
 * answers a conditional request that finds nothing new with 304. Streams get no ETag of their own.
 *
 * @see RFC 9110 §8.8.3, §13.1.2 (If-None-Match), §13.1.3 (If-Modified-Since), §15.4.5
 */
export function etag(): Middleware {
  return function etag(ctx, next) {
    return after(next, () => {
      if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || ctx.status !== 200) return;
      // What nobody has answered is about to become a 404.
      if (!ctx.answered) return;
      tag(ctx);
      if (isFresh(ctx)) ctx.status = 304;
    });
  };
}

function tag(ctx: Context): void {
  const body = ctx.responseBody;
  if (ctx.responseHeaders.has('ETag')) return;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return;
  // An import statement would load all of node:crypto with this package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  ctx.set('ETag', `"${createHash('sha1').update(body).digest('base64url')}"`);
}

/** Whether the client has what would be sent. */
function isFresh(ctx: Context): boolean {
  const noneMatch = ctx.get('If-None-Match');
  const own = ctx.responseHeaders.get('ETag');
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return true;
    const opaque = String(own).replace(/^W\//, '');
    const tags: readonly string[] = noneMatch.match(/"[^"]*"/g) ?? [];
    return tags.includes(opaque);
  }
  const since = Date.parse(ctx.get('If-Modified-Since') ?? '');
  const modified = Date.parse(String(ctx.responseHeaders.get('Last-Modified')));
  return modified <= since;
}
