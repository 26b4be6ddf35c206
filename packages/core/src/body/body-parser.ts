import { UnsupportedMediaTypeError } from '../errors/http-errors.js';
import type { Middleware } from '../pipeline/middleware.js';
import { parseLimit } from './limit.js';
import { createMediaTypeReader, type MediaType } from './media-type.js';
import { readBody } from './read-body.js';

/** Options of every body parser. */
export interface BodyOptions {
  /** Largest body accepted after content decoding: bytes, or a text such as `'1mb'` (the default). */
  readonly limit?: number | string;
}

/** What tells one body parser from another. */
export interface BodyFormat {
  /** Names the middleware. */
  readonly name: string;
  /** Whether it reads bodies of this media type. */
  accepts(essence: string): boolean;
  /**
   * Encodings that it decodes, by the name that `TextDecoder` gives them; the first one is the
   * default. Undefined when the format has none.
   *
   * @see Encoding Standard §4.2 for the labels of each.
   */
  readonly encodings?: readonly string[];
  /** Makes `ctx.body` of a body that is not empty. */
  parse(bytes: Buffer, type: MediaType): unknown;
}

/**
 * Makes the middleware that reads bodies of one format into `ctx.body`. An empty body leaves it
 * undefined; a body of another media type is left unread for another parser, and one that was read
 * before stays as it is.
 *
 * @param format - What it reads, and how.
 * @param options - The limit.
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 */
export function createBodyParser(format: BodyFormat, options: BodyOptions): Middleware {
  const limit = parseLimit(options.limit ?? '1mb');
  const mediaTypeOf = createMediaTypeReader();
  const middleware: Middleware = (ctx, next) => {
    if (ctx.req.readableEnded || !ctx.hasBody || ctx.body !== undefined) return next();
    const type = mediaTypeOf(ctx.req.headers['content-type'] ?? '');
    if (!format.accepts(type.essence)) return next();
    assertCharset(format, type);
    return readBody(ctx, limit).then((bytes) => {
      if (bytes.length > 0) ctx.body = format.parse(bytes, type);
      return next();
    });
  };
  return Object.defineProperty(middleware, 'name', { value: format.name });
}

function assertCharset({ encodings }: BodyFormat, { charset }: MediaType): void {
  if (encodings === undefined || charset === undefined || encodings.includes(charset)) return;
  if (encodings.includes(encodingOf(charset))) return;
  throw new UnsupportedMediaTypeError(
    `The charset '${charset}' is not supported. Send the body as ${encodings[0]}.`,
    { code: 'UNSUPPORTED_CHARSET' },
  );
}

/** The encoding that a charset is a label of; empty when it is unknown. */
function encodingOf(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return '';
  }
}
