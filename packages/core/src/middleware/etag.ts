import type { Context } from '../context.js';
import { after } from '../next.js';
import { assertOptions } from '../options.js';
import type { Middleware } from '../pipeline.js';

/**
 * Adds an `ETag` to responses to GET and HEAD with status 200, and responds with 304 when the client's
 * copy is current. A handler's own `ETag` takes precedence. Streams get no `ETag`.
 *
 * @throws {SetupError} `INVALID_OPTION`, when it is called with options.
 * @see RFC 9110 §8.8.3, §13.1.2 (If-None-Match), §13.1.3 (If-Modified-Since), §15.4.5
 */
export function etag(): Middleware;
export function etag(options?: object): Middleware {
  assertOptions('etag()', options, {});
  return function etag(ctx, next) {
    return after(next, () => {
      if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || ctx.status !== 200) return;
      // An unhandled request becomes a 404.
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
  // An import would load node:crypto with the package.
  const { createHash } = process.getBuiltinModule('node:crypto');
  ctx.set('ETag', `"${createHash('sha1').update(body).digest('base64url')}"`);
}

/** Whether the client's copy is current. */
function isFresh(ctx: Context): boolean {
  const noneMatch = ctx.get('If-None-Match');
  const etag = ctx.responseHeaders.get('ETag');
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return true;
    const opaque = String(etag).replace(/^W\//, '');
    const tags: readonly string[] = noneMatch.match(/"[^"]*"/g) ?? [];
    return tags.includes(opaque);
  }
  const since = Date.parse(ctx.get('If-Modified-Since') ?? '');
  const modified = Date.parse(String(ctx.responseHeaders.get('Last-Modified')));
  return modified <= since;
}
