import { assertHeader } from '../context/response-headers.js';
import type { Middleware } from '../pipeline/middleware.js';

/** Options of {@link requestId}. */
export interface RequestIdOptions {
  /** Header that carries the id, in responses and trusted requests; `X-Request-Id` by default. */
  readonly header?: string;
  /**
   * Whether an id that the request carries is kept: 1 to 128 letters, digits, `.`, `_`, `-`. Default
   * false; true only behind a proxy that sets it.
   */
  readonly trust?: boolean;
  /** Makes an id; a random UUID by default. */
  readonly create?: () => string;
}

/**
 * Gives each request an id, in `ctx.state.requestId` and a response header.
 *
 * @throws {TypeError} When the header's name is not a token.
 */
export function requestId(options: RequestIdOptions = {}): Middleware {
  const { header = 'X-Request-Id', trust = false, create = randomIds() } = options;
  assertHeader(header, '');
  return function requestId(ctx, next) {
    const given = trust ? ctx.get(header) : undefined;
    const id = given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : create();
    ctx.state.requestId = id;
    ctx.set(header, id);
    return next();
  };
}

/** An import statement would load all of node:crypto with this package. */
function randomIds(): () => string {
  return process.getBuiltinModule('node:crypto').randomUUID;
}
