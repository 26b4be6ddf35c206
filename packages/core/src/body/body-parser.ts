import { boolean, fn, type Kinds, kind } from '@fairlead/options';
import type { Context } from '../exchange/context.js';
import { refuseContext } from '../exchange/context-errors.js';
import { type MediaType, parseMediaType } from './media-type.js';
import { markCopy } from '../copies.js';
import { describe } from '../description.js';
import { InternalServerError, UnsupportedMediaTypeError } from '../errors/http-error.js';
import { EXCHANGE, hasBody } from '../exchange/exchange.js';
import type { OptionCodes } from '../options.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { readBody } from './read-body.js';

/** Options of every body parser. */
export interface BodyOptions {
  /** Largest body after content decoding, in bytes or as a string such as `'64kb'`; `'1mb'` by default. */
  readonly limit?: number | string;
  /**
   * The media types to read instead of the default: one or several such as `'application/csp-report'`,
   * `'text/*'` or `'application/*+json'`, or a function that receives the type in lower case, without
   * parameters. The range that matches all types also reads bodies without `Content-Type`. A function
   * receives `''` for them.
   */
  readonly type?: string | readonly string[] | ((type: string) => boolean);
  /** Whether to keep the bytes of the body in `ctx.rawBody`, such as to verify a signature; false by default. */
  readonly rawBody?: boolean;
  /**
   * Whether to leave the body of a request to another parser, such as that of a route with another limit. Called
   * for bodies that the parser would read.
   */
  readonly skip?: (ctx: Context) => boolean;
}

/** The options of every body parser, and what they accept. */
export const BODY_OPTIONS: Kinds<BodyOptions> = {
  limit: kind("a whole number of bytes, or a string such as '64kb' or '1mb'", isLimit),
  type: kind(
    "media types such as 'application/json', 'text/*' or 'application/*+json', or a function",
    isMediaTypes,
  ),
  rawBody: boolean,
  skip: fn,
};

/** The codes of errors about {@link BODY_OPTIONS}. */
export const BODY_CODES: OptionCodes<BodyOptions> = {
  limit: 'INVALID_LIMIT',
  type: 'INVALID_MEDIA_TYPE',
};

/** The format that a body parser reads. */
export interface BodyFormat {
  /** Name of the middleware. */
  readonly name: string;
  /** The media types that the parser reads by default, for generated documents. */
  readonly mediaTypes: readonly string[];
  /** Whether the parser reads bodies of this media type by default. */
  accepts(essence: string): boolean;
  /**
   * Supported encodings, by their `TextDecoder` names, the default first. Undefined for binary formats.
   *
   * @see Encoding Standard §4.2 for the labels of each encoding.
   */
  readonly encodings?: readonly string[];
  /** Parses a non-empty body. The result becomes `ctx.body`. */
  parse(bytes: Buffer, type: MediaType): unknown;
}

/**
 * Creates middleware that parses bodies of one format into `ctx.body`. An empty body leaves it
 * undefined. The middleware skips bodies of other media types, bodies that were already read, and those that
 * the option `skip` selects.
 *
 * @param options - The caller has checked them.
 */
export function createBodyParser(format: BodyFormat, options: BodyOptions): Middleware {
  const { type: types, rawBody: keepsBytes = false, skip } = options;
  const limit = parseLimit(options.limit ?? '1mb');
  const accepts = types === undefined ? format.accepts : createTypeMatcher(types);
  // Most clients send the same header again and again.
  let lastHeader = '';
  let type = parseMediaType(lastHeader);
  let isAccepted = accepts(type.essence);
  const call = `${format.name}()`;
  const middleware: Middleware = (ctx, next) => {
    const exchange = ctx[EXCHANGE] ?? refuseContext(call, ctx);
    const { req } = exchange;
    if (!hasBody(req)) return next();
    const header = req.headers['content-type'] ?? '';
    if (header !== lastHeader) {
      type = parseMediaType(header);
      isAccepted = accepts(type.essence);
      lastHeader = header;
    }
    if (!isAccepted || skip?.(ctx)) return next();
    if (req.readableEnded || exchange.requestBody !== undefined) {
      if (keepsBytes) assertRawBody(ctx, format.name);
      return next();
    }
    const mediaType = type;
    if (mediaType.charset !== undefined) assertCharset(format, mediaType.charset);
    return readBody(exchange, limit).then((bytes) => {
      if (keepsBytes) exchange.rawBody = bytes;
      if (bytes.length > 0) exchange.requestBody = format.parse(bytes, mediaType);
      return next();
    });
  };
  Object.defineProperty(middleware, 'name', { value: format.name });
  const isListed = types !== undefined && typeof types !== 'function';
  const mediaTypes = isListed ? [types].flat() : format.mediaTypes;
  const isComplete = typeof types !== 'function' && skip === undefined;
  const settings = isComplete && { settings: [format.name, limit, keepsBytes].join() };
  return describe(markCopy(middleware), { role: 'input', reads: { mediaTypes, ...settings } });
}

/** A media range with token characters, such as `text/*`. RFC 9110 §8.3.1, §12.5.1; RFC 6839 */
const MEDIA_RANGE = /^(?:\*|[\w!#$&^.+-]+)\/(?:\*|(?:\*\+)?[\w!#$&^.+-]+)$/;

function isMediaTypes(value: unknown): boolean {
  const ranges: readonly unknown[] = [value].flat();
  if (typeof value === 'function') return true;
  return ranges.length > 0 && ranges.every(isMediaRange);
}

function isMediaRange(range: unknown): boolean {
  return typeof range === 'string' && MEDIA_RANGE.test(range);
}

/** Creates the function that decides which media types a parser reads. */
function createTypeMatcher(types: NonNullable<BodyOptions['type']>): (essence: string) => boolean {
  if (typeof types === 'function') return types;
  const patterns = [types]
    .flat()
    .map((range) =>
      range === '*/*' ? '.*' : range.replace(/[$^.+]/g, '\\$&').replaceAll('*', '[^/]+'),
    );
  const pattern = new RegExp(`^(?:${patterns.join('|')})$`, 'i');
  return (essence) => pattern.test(essence);
}

/** Checks that a parser that has read the body before has kept its bytes. */
function assertRawBody(ctx: Context, name: string): void {
  if (ctx.rawBody !== undefined) return;
  throw new InternalServerError(
    `${name}({ rawBody: true }) cannot keep the bytes of ${ctx.method} ${ctx.path}: another parser has read the body. Register this parser before the other one, or pass rawBody: true to that one.`,
    { code: 'RAW_BODY_LOST' },
  );
}

function assertCharset({ encodings }: BodyFormat, charset: string): void {
  if (encodings === undefined || encodings.includes(charset)) return;
  if (encodings.includes(encodingOf(charset))) return;
  throw new UnsupportedMediaTypeError(
    `The charset '${charset}' is not supported. Send the body as ${encodings[0]}.`,
    { code: 'UNSUPPORTED_CHARSET' },
  );
}

/** Returns the encoding that a charset names, or '' when it is unknown. */
function encodingOf(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return '';
  }
}

const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/**
 * Converts a size limit to bytes.
 *
 * @param limit - Bytes, or a string such as `'500b'`, `'64kb'`, `'1.5mb'`, in units of 1,024.
 * @returns NaN when the limit is negative or not a size.
 */
export function parseLimit(limit: number | string): number {
  const [, amount, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)$/i.exec(String(limit)) ?? [];
  const bytes =
    typeof limit === 'number'
      ? limit
      : Math.floor(Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : Number.NaN;
}

function isLimit(value: unknown): boolean {
  return (
    (typeof value === 'number' || typeof value === 'string') && !Number.isNaN(parseLimit(value))
  );
}
