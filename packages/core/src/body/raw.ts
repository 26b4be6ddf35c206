import type { Middleware } from '../pipeline/middleware.js';
import { type BodyOptions, createBodyParser } from './body-parser.js';

/** What {@link raw} may be told. */
export interface RawOptions extends BodyOptions {
  /** Media types that are read, in lower case; `application/octet-stream` by default. */
  readonly types?: readonly string[];
}

/**
 * Reads bodies of some media types into `ctx.body` as bytes, decoded from their content encoding.
 *
 * The middleware answers 413 to a body past the limit, 415 to an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 */
export function raw(options: RawOptions = {}): Middleware {
  const { types = ['application/octet-stream'] } = options;
  return createBodyParser(
    { name: 'raw', accepts: (essence) => types.includes(essence), parse: (bytes) => bytes },
    options,
  );
}
