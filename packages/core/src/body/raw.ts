import type { Middleware } from '../pipeline/middleware.js';
import { type BodyOptions, createBodyParser } from './body-parser.js';

/** Options of {@link raw}. */
export interface RawOptions extends BodyOptions {
  /** Media types that are read; `application/octet-stream` by default. */
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
  const accepted = new Set(types.map((type) => type.toLowerCase()));
  return createBodyParser(
    { name: 'raw', accepts: (essence) => accepted.has(essence), parse: (bytes) => bytes },
    options,
  );
}
