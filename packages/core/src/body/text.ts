import { BadRequestError } from '../errors/http-errors.js';
import type { Middleware } from '../pipeline/middleware.js';
import { type BodyOptions, createBodyParser } from './body-parser.js';

/**
 * Reads bodies of any `text/*` type into `ctx.body` as a string: UTF-8, Windows-1252 or UTF-16LE, under
 * each label of the Encoding Standard, such as `latin1`, `iso-8859-1` or `ascii` for Windows-1252.
 *
 * The middleware answers 400 to bytes that are not of their charset, 413 to a body past the limit,
 * 415 to another charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 * @see Encoding Standard §4.2
 */
export function text(options: BodyOptions = {}): Middleware {
  return createBodyParser(
    {
      name: 'text',
      accepts: (essence) => essence.startsWith('text/'),
      encodings: ['utf-8', 'windows-1252', 'utf-16le'],
      parse: (bytes, { charset = 'utf-8' }) => decodeText(bytes, charset),
    },
    options,
  );
}

/**
 * Decodes text; a byte order mark is ignored.
 *
 * @throws {BadRequestError} 400 `MALFORMED_TEXT`, when the bytes are not of the charset.
 */
export function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BadRequestError(`The body is not valid ${charset}.`, {
      code: 'MALFORMED_TEXT',
      cause,
    });
  }
}
