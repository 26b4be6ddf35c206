import { isUtf8 } from 'node:buffer';
import {
  boolean,
  describeValue,
  fn,
  includesType,
  integer,
  isJson,
  isMediaRange,
  type Kinds,
  kind,
  named,
} from '@fairlead/options';
import { describe } from '../annotations/description.js';
import type { AnyContext, Context } from '../context/context.js';
import { bodyAlreadyRead, refuseContext } from '../context/context-errors.js';
import {
  BadRequestError,
  InternalServerError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../errors/http-error.js';
import { EXCHANGE, hasBody, hasUnreadBody } from '../exchange/exchange.js';
import { type MediaType, parseMediaType } from '../exchange/media-type.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { assertOptions } from '../setup/options.js';
import { markCopy } from '../setup/package-copies.js';
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

/** Options of {@link urlencoded}. */
export interface UrlencodedOptions extends BodyOptions {
  /** Maximum number of fields; 1,000 by default. */
  readonly maxFields?: number;
}

const OPTIONS: Kinds<BodyOptions> = {
  limit: kind(
    "a whole number of bytes, or a string such as '64kb' or '1mb'",
    (value) => !Number.isNaN(parseLimit(value)),
  ),
  type: kind(
    "media types such as 'application/json', 'text/*' or 'application/*+json', or a function",
    (value) => {
      const ranges: readonly unknown[] = [value].flat();
      const isRange = (range: unknown) => typeof range === 'string' && isMediaRange(range);
      return typeof value === 'function' || (ranges.length > 0 && ranges.every(isRange));
    },
  ),
  rawBody: boolean,
  skip: fn,
};

/**
 * Parses JSON bodies, `application/json`, `text/json` and `+json` or the media types in the option `type`, into
 * `ctx.body`. An empty body leaves it undefined. Bodies of other media types are left to other parsers.
 *
 * The middleware throws 400 for a malformed, truncated or forbidden body, 413 for a body past the
 * limit, and 415 for a charset other than UTF-8 or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 8259; MIME Sniffing Standard §4.6 for the media types
 */
export function json(options: BodyOptions = {}): Middleware {
  return createBodyParser(
    {
      name: 'json',
      mediaType: 'application/json',
      accepts: isJson,
      encodings: ['utf-8'],
      parse: parseJson,
    },
    options,
  );
}

/**
 * Parses `application/x-www-form-urlencoded` bodies into `ctx.body`, an object without a prototype. A
 * field that occurs once is a string. A repeated field is an array of strings.
 *
 * The middleware throws 400 for invalid UTF-8 and for a field named `__proto__` or
 * `constructor[prototype]`, 413 for a body past the limit or with too many fields, and 415 for another
 * charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see URL Standard §5.1
 */
export function urlencoded(options: UrlencodedOptions = {}): Middleware {
  return createBodyParser<UrlencodedOptions>(
    {
      name: 'urlencoded',
      mediaType: 'application/x-www-form-urlencoded',
      encodings: ['utf-8'],
      parse: (bytes) => parseForm(decodeText(bytes, 'utf-8'), options.maxFields ?? 1_000),
    },
    options,
    { ...OPTIONS, maxFields: integer(0, undefined, 'number of fields') },
  );
}

/**
 * Reads bodies of any `text/*` type, or of the media types in the option `type`, into `ctx.body` as a
 * string. Supports UTF-8, Windows-1252 and UTF-16LE under all labels of the Encoding Standard, such as
 * `latin1` for Windows-1252.
 *
 * The middleware throws 400 for bytes that are invalid in their charset, 413 for a body past the
 * limit, and 415 for another charset or an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see Encoding Standard §4.2
 */
export function text(options: BodyOptions = {}): Middleware {
  return createBodyParser(
    {
      name: 'text',
      mediaType: 'text/plain',
      accepts: (essence) => essence.startsWith('text/'),
      encodings: ['utf-8', 'windows-1252', 'utf-16le'],
      parse: (bytes, { charset = 'utf-8' }) => decodeText(bytes, charset),
    },
    options,
  );
}

/**
 * Reads bodies of `application/octet-stream`, or of the media types in the option `type`, into `ctx.body`
 * as bytes, after content decoding.
 *
 * The middleware throws 413 for a body past the limit and 415 for an unknown content encoding.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 */
export function raw(options: BodyOptions = {}): Middleware {
  const parse = (bytes: Buffer) => bytes;
  return createBodyParser({ name: 'raw', mediaType: 'application/octet-stream', parse }, options);
}

/** The format that a body parser reads. */
interface BodyFormat {
  /** Name of the middleware. */
  readonly name: string;
  /** The media type that generated documents name. */
  readonly mediaType: string;
  /** Whether the parser reads a media type by default. Without it, the parser reads only `mediaType`. */
  readonly accepts?: (essence: string) => boolean;
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
 * @throws {SetupError} When an option is unknown or invalid.
 */
function createBodyParser<Options extends BodyOptions>(
  format: BodyFormat,
  options: Options,
  kinds: Kinds<Options> = OPTIONS as Kinds<Options>,
): Middleware {
  const call = `${format.name}()`;
  assertOptions(call, options, kinds);
  const { limit: size = '1mb', type: types, rawBody = false, skip } = options;
  const limit = parseLimit(size);
  let keepsBytes = rawBody;
  const accepts = createTypeMatcher(types ?? format.accepts ?? format.mediaType);
  // Most clients send the same header again and again.
  let lastHeader = '';
  let type = parseMediaType(lastHeader);
  let isAccepted = accepts(type.essence);
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
    // Most applications have no mount, and save the call.
    if (exchange.environment.routes.takesRequest && isForMount(ctx)) return next();
    if (req.readableDidRead || req.readableEnded || exchange.requestBody !== undefined) {
      if (rawBody) assertRawBody(ctx, format.name);
      if (!req.readableEnded && exchange.requestBody === undefined && !exchange.rawBody)
        throw bodyAlreadyRead(exchange);
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
  const isListed = types !== undefined && typeof types !== 'function';
  const mediaTypes = isListed ? [types].flat() : [format.mediaType];
  const isComplete = typeof types !== 'function' && skip === undefined;
  const settings = isComplete && { settings: [format.name, limit, rawBody].join() };
  return describe(markCopy(named(format.name, middleware)), {
    role: 'input',
    warning: () => describeLimit(call, limit),
    reads: {
      mediaTypes,
      ...settings,
      keepBytes: () => {
        keepsBytes = true;
      },
    },
  });
}

/** Whether the handler of `mount()` takes the whole request, so that parsers before its route leave the body. */
export function isForMount(ctx: AnyContext): boolean {
  const exchange = ctx[EXCHANGE] ?? refuseContext('isForMount()', ctx);
  const { environment, route } = exchange;
  // Middleware of the mount itself runs within its route, and may parse.
  return route === undefined && environment.routes.takesRequest?.(exchange) === true;
}

/** Whether anything has begun to read the body of a request. False for a request without a body. */
export function isBodyRead(ctx: AnyContext): boolean {
  const exchange = ctx[EXCHANGE] ?? refuseContext('isBodyRead()', ctx);
  return hasBody(exchange.req) && !hasUnreadBody(exchange);
}

/** Warns about a limit that was probably meant in a larger unit. 0 rejects every body. */
function describeLimit(call: string, limit: number): string | undefined {
  if (limit === 0 || limit >= 100) return undefined;
  return `${call} accepts at most ${limit} bytes. If you mean megabytes, pass limit: '${limit}mb'; otherwise pass the middleware to intended().`;
}

/** Creates the function that decides which media types a parser reads. */
function createTypeMatcher(types: NonNullable<BodyOptions['type']>): (essence: string) => boolean {
  if (typeof types === 'function') return types;
  const ranges = [types].flat();
  return (essence) => ranges.some((range) => includesType(range, essence));
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
  try {
    if (encodings.includes(new TextDecoder(charset).encoding)) return;
  } catch {
    // The charset is unknown.
  }
  throw new UnsupportedMediaTypeError(
    `The charset ${describeValue(charset)} is not supported. Send the body as ${encodings[0]}.`,
    { code: 'UNSUPPORTED_CHARSET' },
  );
}

const UNITS = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/**
 * Converts a size limit to bytes.
 *
 * @param limit - Bytes, or a string such as `'500b'`, `'64kb'`, `'1.5mb'`, in units of 1,024.
 * @returns NaN when the limit is negative or not a size.
 */
export function parseLimit(limit: unknown): number {
  let bytes = limit;
  if (typeof limit === 'string') {
    const [, amount, unit = 'b'] = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)$/i.exec(limit) ?? [];
    bytes = Math.floor(Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
  }
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0
    ? bytes
    : Number.NaN;
}

/** Maximum nesting of arrays and objects. Code that recurses over a value can handle this depth. */
const MAX_DEPTH = 1_000;

/**
 * Parses JSON.
 *
 * @param bytes - UTF-8; a byte order mark is ignored.
 * @throws {BadRequestError} 400 `MALFORMED_JSON`, when the bytes are not UTF-8 or not JSON; 400
 *   `JSON_TOO_DEEP`, for more than 1,000 levels; 400 `FORBIDDEN_KEY`, when an object has the key
 *   `__proto__`, or a `constructor` with a `prototype`.
 * @see RFC 8259 §8.1, §9
 */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // Invalid UTF-8 decodes to U+FFFD, which valid bodies may also contain.
  if (text.includes('\uFFFD') && !isUtf8(bytes)) throw malformed('it is not valid UTF-8');
  // Each level takes at least two characters.
  if (text.length > 2 * MAX_DEPTH && nestsDeeper(text, MAX_DEPTH)) {
    throw new BadRequestError(
      `The body nests arrays and objects more than ${MAX_DEPTH} levels deep. Send a flatter structure.`,
      { code: 'JSON_TOO_DEEP' },
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    throw malformed('it does not follow the JSON grammar', cause);
  }
  // Every forbidden key contains `proto`, possibly written with a \u escape.
  if (text.includes('proto') || text.includes('\\u')) assertNoForbiddenKey(value);
  return value;
}

/** Checks every object without recursion, which could overflow the stack. */
function assertNoForbiddenKey(root: unknown): void {
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__')) throw forbiddenKey('__proto__');
    const constructorValue =
      Object.hasOwn(value, 'constructor') && Reflect.get(value, 'constructor');
    if (
      typeof constructorValue === 'object' &&
      constructorValue !== null &&
      Object.hasOwn(constructorValue, 'prototype')
    ) {
      throw forbiddenKey('constructor.prototype');
    }
    for (const member of Object.values(value)) pending.push(member);
  }
}

function malformed(reason: string, cause?: unknown): BadRequestError {
  return new BadRequestError(`The body is not valid JSON: ${reason}.`, {
    code: 'MALFORMED_JSON',
    cause,
  });
}

/** Creates the error for a key that could pollute a prototype. */
function forbiddenKey(key: string): BadRequestError {
  return new BadRequestError(`The body contains the forbidden key '${key}'. Remove it.`, {
    code: 'FORBIDDEN_KEY',
  });
}

/**
 * Whether a JSON text nests arrays and objects deeper than a limit. Does not parse the text.
 *
 * @param text - Valid JSON. The result is meaningless for other text.
 */
export function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isString) {
      if (character === '\\') index += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}

/**
 * Matches field names that contain a key which `json()` forbids, including `a[__proto__]` and
 * `a.__proto__`. The parser does not expand such names, but the application may.
 */
const FORBIDDEN_NAME = /(?<![^.[\]])(?:(__proto__)|constructor[.[\]]+prototype)(?![^.[\]])/;

/**
 * Checks the name of a form field.
 *
 * @throws {BadRequestError} 400 `FORBIDDEN_KEY`, when the name contains a key that `json()` forbids.
 */
export function assertFieldName(name: string): void {
  const forbidden = name.includes('proto') && FORBIDDEN_NAME.exec(name);
  if (forbidden) throw forbiddenKey(forbidden[1] ?? 'constructor.prototype');
}

function parseForm(text: string, maxFields: number): Record<string, string | string[]> {
  let fields = 0;
  // Counting the fields is much faster than parsing them.
  for (const _field of text.matchAll(/[^&]+/g)) {
    fields += 1;
    if (fields <= maxFields) continue;
    throw new PayloadTooLargeError(`The form has more than ${maxFields} fields.`, {
      code: 'TOO_MANY_FIELDS',
    });
  }
  const form: Record<string, string | string[]> = Object.create(null);
  // URLSearchParams drops a leading question mark, which may belong to the first name.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    assertFieldName(name);
    const present = form[name];
    if (Array.isArray(present)) present.push(value);
    else form[name] = present === undefined ? value : [present, value];
  }
  return form;
}

/**
 * Decodes text, without a byte order mark.
 *
 * @throws {BadRequestError} 400 `MALFORMED_TEXT`, when the bytes are invalid in the charset.
 */
function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BadRequestError(`The body is not valid ${charset}.`, {
      code: 'MALFORMED_TEXT',
      cause,
    });
  }
}
