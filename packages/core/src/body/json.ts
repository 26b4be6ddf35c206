import type { Middleware } from '../pipeline/middleware.js';
import { type BodyOptions, createBodyParser } from './body-parser.js';
import { isJson } from './media-type.js';
import { parseJson } from './parse-json.js';

/** Options of {@link json}. */
export type JsonOptions = BodyOptions;

/**
 * Reads JSON bodies, `application/json` and `+json`, into `ctx.body`. An empty body leaves it
 * undefined; a body of another media type is left unread for another parser.
 *
 * The middleware answers 400 to a malformed, truncated or forbidden body, 413 to one past the limit,
 * 415 to a charset other than UTF-8 or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 * @see RFC 8259
 */
export function json(options: JsonOptions = {}): Middleware {
  return createBodyParser(
    { name: 'json', accepts: isJson, encodings: ['utf-8'], parse: parseJson },
    options,
  );
}
