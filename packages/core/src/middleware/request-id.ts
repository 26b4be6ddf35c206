import type { Middleware } from '../pipeline.js';
import { assertHeader } from '../response.js';

/** Options of {@link requestId}. */
export interface RequestIdOptions {
  /** Name of the header with the id, in responses and trusted requests; `X-Request-Id` by default. */
  readonly header?: string;
  /**
   * Whether to use the id from the request header if it consists of 1 to 128 letters, digits, `.`, `_`
   * and `-`; false by default. Enable it only behind a proxy that sets the header.
   */
  readonly trust?: boolean;
  /** Creates an id; a random UUID by default. */
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
    const received = trust ? ctx.get(header) : undefined;
    const id = received !== undefined && /^[\w.-]{1,128}$/.test(received) ? received : create();
    ctx.state.requestId = id;
    ctx.set(header, id);
    return next();
  };
}

/** Loads node:crypto here, because an import would load it with the package. */
function randomIds(): () => string {
  return process.getBuiltinModule('node:crypto').randomUUID;
}
