import type { Context } from '../context/context.js';
import { UnsupportedMediaTypeError } from '../errors/http-errors.js';
import type { Middleware } from '../pipeline/middleware.js';
import { parseLimit } from './limit.js';
import { isJson, parseMediaType } from './media-type.js';
import { parseJson } from './parse-json.js';
import { hasBody, readBody } from './read-body.js';

/** What {@link json} may be told. */
export interface JsonOptions {
  /** Largest body accepted after content decoding: bytes, or a text such as `'1mb'` (the default). */
  readonly limit?: number | string;
}

/**
 * Reads JSON bodies into `ctx.body`. An empty body leaves it undefined; a body of another media type
 * is left unread for another parser, and one that was read before stays as it is.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when the limit cannot be read.
 *
 * The middleware answers 400 to a malformed, truncated or forbidden body, 413 to one past the limit,
 * 415 to a charset other than UTF-8 or an unknown content encoding.
 */
export function json(options: JsonOptions = {}): Middleware {
  const limit = parseLimit(options.limit ?? '1mb');
  return function json(ctx, next) {
    if (!hasBody(ctx.req) || ctx.req.readableEnded || ctx.body !== undefined) return next();
    const { essence, charset } = parseMediaType(ctx.get('Content-Type') ?? '');
    if (!isJson(essence)) return next();
    assertUtf8(charset);
    return readJson(ctx, limit).then(next);
  };
}

async function readJson(ctx: Context, limit: number): Promise<void> {
  const bytes = await readBody(ctx.req, limit);
  if (bytes.length > 0) ctx.body = parseJson(bytes);
}

function assertUtf8(charset: string | undefined): void {
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return;
  throw new UnsupportedMediaTypeError(
    `The charset '${charset}' is not supported. Send JSON as UTF-8.`,
    { code: 'UNSUPPORTED_CHARSET' },
  );
}
