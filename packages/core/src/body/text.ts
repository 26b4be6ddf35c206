import { BadRequestError } from '../errors/http-error.js';
import { assertOptions } from '../options.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { BODY_CODES, BODY_OPTIONS, type BodyOptions, createBodyParser } from './body-parser.js';

/**
 * Reads bodies of any `text/*` type, or of the media types in the option `type`, into `ctx.body` as a
 * string. Supports UTF-8, Windows-1252 and UTF-16LE under all labels of the Encoding Standard, such as
 * `latin1` for Windows-1252.
 *
 * The middleware throws 400 for bytes that are invalid in their charset, 413 for a body past the
 * limit, and 415 for another charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit is invalid; `INVALID_MEDIA_TYPE`, when `type` is;
 *   `INVALID_OPTION`, when another option is unknown or invalid.
 * @see Encoding Standard §4.2
 */
export function text(options: BodyOptions = {}): Middleware {
  assertOptions('text()', options, BODY_OPTIONS, BODY_CODES);
  return createBodyParser(
    {
      name: 'text',
      mediaTypes: ['text/plain'],
      accepts: (essence) => essence.startsWith('text/'),
      encodings: ['utf-8', 'windows-1252', 'utf-16le'],
      parse: (bytes, { charset = 'utf-8' }) => decodeText(bytes, charset),
    },
    options,
  );
}

/**
 * Decodes text, without a byte order mark.
 *
 * @throws {BadRequestError} 400 `MALFORMED_TEXT`, when the bytes are invalid in the charset.
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

/**
 * Reads bodies of `application/octet-stream`, or of the media types in the option `type`, into `ctx.body`
 * as bytes, after content decoding.
 *
 * The middleware throws 413 for a body past the limit and 415 for an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit is invalid; `INVALID_MEDIA_TYPE`, when `type` is;
 *   `INVALID_OPTION`, when another option is unknown or invalid.
 */
export function raw(options: BodyOptions = {}): Middleware {
  assertOptions('raw()', options, BODY_OPTIONS, BODY_CODES);
  return createBodyParser(
    {
      name: 'raw',
      mediaTypes: ['application/octet-stream'],
      accepts: (essence) => essence === 'application/octet-stream',
      parse: (bytes) => bytes,
    },
    options,
  );
}
