import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  type Context,
  type Middleware,
  type ResponseBody,
  type ResponseHeaders,
} from '@fairlead/core';
import { after, describe, describeFactories, throwTogether } from '@fairlead/core/extend';
import {
  acceptedCodings,
  essenceOf,
  findOptionProblems,
  fn,
  integer,
  type Kinds,
  kind,
  named,
  object,
} from '@fairlead/options';

/** The codings that this package can apply, by their names in `Content-Encoding`. */
export type Encoding = 'zstd' | 'br' | 'gzip';

/** Options of {@link compression}. */
export interface CompressionOptions {
  /** Smallest body that is compressed, in bytes, if its length is known. Default 1,024. */
  readonly threshold?: number;
  /**
   * The codings, in order of preference: at least one of `zstd`, `br` and `gzip`. By default all three.
   */
  readonly encodings?: readonly Encoding[];
  /** How hard each coding compresses: `zstd` 1 to 19, `br` 0 to 11, `gzip` 1 to 9. Default 3, 4 and 6. */
  readonly levels?: Readonly<Partial<Record<Encoding, number>>>;
  /** Media types to compress besides the default ones, as in `['application/x-tar']`. */
  readonly types?: readonly string[];
  /** Whether to leave a response as it is. Called if its type is compressed. Default: never. */
  readonly skip?: (ctx: Context) => boolean;
}

/** The headers of a response, also of one that was sent without the context. */
type ReadableHeaders = Pick<ResponseHeaders, 'get' | 'has'>;

/** One coding: how to compress a whole body, and a stream. */
interface Coder {
  compress(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
  createStream(): Transform & { flush(): void };
}

const ENCODINGS: readonly Encoding[] = ['zstd', 'br', 'gzip'];

const LEVELS: Kinds<Record<Encoding, number>> = {
  // RFC 9659 limits the window to 8 MiB, which higher levels exceed.
  zstd: integer(1, 19),
  br: integer(0, 11),
  gzip: integer(1, 9),
};

/** A type and a subtype, without parameters. RFC 9110 §8.3.1 */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

const COMPRESSION_OPTIONS: Kinds<CompressionOptions> = {
  threshold: integer(0, undefined, 'number of bytes'),
  encodings: kind(`an array of at least one of ${ENCODINGS.join(', ')}`, isEncodings),
  levels: object,
  types: kind(
    "an array of media types without parameters, such as 'application/x-tar'",
    (value) =>
      Array.isArray(value) &&
      value.every((type) => typeof type === 'string' && MEDIA_TYPE.test(type)),
  ),
  skip: fn,
};

function isEncodings(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((name) => ENCODINGS.includes(name)) && new Set(value).size === value.length;
}

/** Matches the types that are worth compressing. Images, audio, video and archives already are. */
const COMPRESSIBLE =
  /^(?:text\/.+|.+\+(?:json|xml|text|yaml)|application\/(?:(?:x-)?(?:javascript|ndjson|yaml)|json(?:l|-seq)?|xml(?:-dtd)?|ecmascript|graphql|manifest|rtf|sql|toml|wasm|x-sh|x-www-form-urlencoded)|font\/(?:collection|otf|sfnt|ttf)|image\/(?:bmp|vnd\.microsoft\.icon|x-icon))$/;

/**
 * The largest body that is compressed on the main thread, in bytes. To hand 10 KB to another thread costs
 * several times the CPU time of compressing them, and 16 KiB at a fast level delay other requests by less than
 * a millisecond.
 */
const MAIN_THREAD_BYTES = 16_384;

/**
 * Log2 of the bytes that a stream looks back: 128 KiB. By default, zlib keeps megabytes for each stream, even
 * while its client reads nothing. Compressed JSON and text are no larger.
 */
const STREAM_WINDOW = 17;

/** Headers with a digest of the uncompressed bytes. RFC 9530 */
const DIGESTS = ['Content-Digest', 'Repr-Digest', 'Digest', 'Content-MD5'];

/**
 * Compresses responses with the coding that the client prefers. Put it before the middleware whose
 * responses it compresses, `errorHandler()` included.
 *
 * It leaves alone: bodies below `threshold`, types that are already compressed, responses with
 * `Content-Encoding`, `Cache-Control: no-transform` or a digest, and ranges. Every other response gets
 * `Vary: Accept-Encoding`. A compressed one has a weak `ETag`, and no `Accept-Ranges`.
 *
 * Whole bodies of more than 16 KiB, and all of them at slow levels, are compressed on threads of libuv.
 * Streams are compressed chunk by chunk. A chunk is flushed as soon as no other one follows immediately.
 *
 * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
 * @see RFC 9110 §8.4, §8.8.1, §12.5.3
 */
export function compression(options: CompressionOptions = {}): Middleware {
  assertOptions(options);
  const { threshold = 1_024, encodings = ENCODINGS, levels = {}, skip = () => false } = options;
  const types = new Set(options.types?.map((type) => type.toLowerCase()));
  const coders = createCoders(levels);
  /** Whether other codings of a response may exist. A 304 may have no type. Its headers must equal those of the 200. */
  const isCandidate = (ctx: Context, headers: ReadableHeaders, status: number): boolean => {
    if (!mayEncode(headers)) return false;
    const type = mediaTypeOf(headers);
    const isOfType =
      type === undefined ? status === 304 : COMPRESSIBLE.test(type) || types.has(type);
    return isOfType && !skip(ctx);
  };

  /** Returns the coding that the client prefers; undefined for none. */
  const codingFor = (ctx: Context): Encoding | undefined => {
    const [coding] = acceptedCodings(ctx.get('Accept-Encoding'), encodings);
    return coding === 'identity' ? undefined : coding;
  };

  /** Whether a body stays as it is. A client that refuses `identity` gets small bodies compressed, too. */
  const isTooSmall = (ctx: Context, length: number | undefined): boolean =>
    length !== undefined &&
    length < threshold &&
    acceptedCodings(ctx.get('Accept-Encoding'), []).length > 0;

  const compress = (ctx: Context): void | Promise<void> => {
    const { status, responseHeaders: headers, responseBody: body } = ctx;
    if (ctx.res.headersSent || !isCandidate(ctx, headers, status)) return;
    headers.append('Vary', 'Accept-Encoding');
    if (status === 204 || status === 205 || status === 206 || headers.has('Content-Range')) return;
    const coding = codingFor(ctx);
    if (coding === undefined) return;
    const length = lengthOf(body, headers);
    if (isTooSmall(ctx, length)) return;
    if (status === 304) weakenTag(headers);
    else return encode(ctx, body, coding, coders[coding], length);
  };

  const misses = (ctx: Context): string | undefined => {
    const { res, method } = ctx;
    const headers: ReadableHeaders = {
      get: (name) => res.getHeader(name),
      has: (name) => res.hasHeader(name),
    };
    const isMissed =
      method !== 'HEAD' &&
      res.statusCode === 200 &&
      isCandidate(ctx, headers, 200) &&
      codingFor(ctx) !== undefined &&
      !isTooSmall(ctx, lengthOf(undefined, headers));
    return isMissed
      ? 'compression() of Fairlead does not compress it. Use the package compression: connect(compression()).'
      : undefined;
  };

  return describe<Middleware>(
    named('compression', (ctx, next) => {
      return after(next, () => compress(ctx));
    }),
    { role: 'middleware', misses },
  );
}

describeFactories(compression);

/** Replaces the recorded body with its compressed form. */
function encode(
  ctx: Context,
  body: ResponseBody | undefined,
  coding: Encoding,
  coder: Coder,
  length: number | undefined,
): void | Promise<void> {
  const replace = (compressed: ResponseBody): void => {
    if (!ctx.replaceBody(compressed)) return;
    const { responseHeaders: headers } = ctx;
    headers.set('Content-Encoding', coding);
    headers.delete('Accept-Ranges');
    weakenTag(headers);
  };
  if (body instanceof Readable) {
    // The writer reports the error of a failed stream.
    if (body.destroyed) return;
    // HEAD reads no body, so it does not change what a generator sets before its first chunk.
    if (ctx.method === 'HEAD') replace(body);
    else replace(compressStream(body, coder, length, () => settleHeaders(ctx, coding)));
    return;
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (!(bytes instanceof Uint8Array)) return;
  // The route for HEAD states the length of a body that it omits.
  if (ctx.method === 'HEAD' && bytes.length === 0) replace(Readable.from([]));
  else {
    const compressed = coder.compress(bytes);
    if (compressed instanceof Promise) return compressed.then(replace);
    replace(compressed);
  }
}

/**
 * Adapts the headers that a generator has set before its first chunk, when the response was already compressed.
 *
 * @returns The bytes that the stream must have; undefined if unknown.
 */
function settleHeaders(
  { responseHeaders: headers }: Context,
  coding: Encoding,
): number | undefined {
  const codings = headers.get('Content-Encoding');
  // Another response has replaced this one.
  if (codings === undefined) return undefined;
  // In the order in which they were applied. RFC 9110 §8.4
  if (codings !== coding) headers.set('Content-Encoding', `${String(codings)}, ${coding}`);
  weakenTag(headers);
  const length = lengthOf(undefined, headers);
  if (length !== undefined) headers.delete('Content-Length');
  return length;
}

/**
 * Returns the compressed form of a stream. If either stream fails or is destroyed, so is the other one.
 *
 * @param stated - The bytes that the stream must have; undefined if unknown.
 * @param settle - Called with the first chunk, or at the end of an empty stream. Returns the bytes that the stream must
 *   have, if that has become known.
 */
function compressStream(
  body: Readable,
  coder: Coder,
  stated: number | undefined,
  settle: () => number | undefined,
): Readable {
  const compressed = coder.createStream();
  let isScheduled = false;
  // Chunks that follow each other immediately are compressed together.
  const flushSoon = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (!compressed.destroyed && !compressed.writableEnded) compressed.flush();
    });
  };
  const forward = async function* (chunks: AsyncIterable<string | Uint8Array>) {
    let read = 0;
    let length = stated;
    let isFirst = true;
    for await (const chunk of chunks) {
      if (isFirst) length = settle() ?? length;
      isFirst = false;
      read += Buffer.byteLength(chunk);
      if (length !== undefined && read > length) break;
      yield chunk;
      flushSoon();
    }
    if (isFirst) length = settle() ?? length;
    if (length === undefined || read === length) return;
    throw new RangeError(
      `The stream has ${read > length ? 'more' : 'fewer'} bytes than its Content-Length of ${length}. Set Content-Length to the size of the stream, or omit it.`,
    );
  };
  // The compressed stream fails with the error of the body, and its reader handles that.
  pipeline(body, forward, compressed, () => undefined);
  return compressed;
}

/** Whether the headers of a response permit a content coding. */
function mayEncode(headers: ReadableHeaders): boolean {
  const cacheControl = String(headers.get('Cache-Control') ?? '');
  if (/(?:^|[\s,])no-transform(?:$|[\s,])/i.test(cacheControl)) return false;
  return !headers.has('Content-Encoding') && !DIGESTS.some((name) => headers.has(name));
}

/** Returns the media type of a response, in lower case and without parameters. */
function mediaTypeOf(headers: ReadableHeaders): string | undefined {
  const type = headers.get('Content-Type');
  return type === undefined ? undefined : essenceOf(String(type));
}

/** Returns the length of a body in bytes; undefined if it is unknown. */
function lengthOf(body: ResponseBody | undefined, headers: ReadableHeaders): number | undefined {
  const stated = headers.get('Content-Length');
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const length = Buffer.byteLength(body);
    // The route for HEAD may state the length of a body that it omits.
    return length === 0 && stated !== undefined ? Number(stated) : length;
  }
  return stated === undefined || !/^\d+$/.test(String(stated)) ? undefined : Number(stated);
}

/** Makes the entity tag of the uncompressed bytes weak. RFC 9110 §8.8.1 */
function weakenTag(headers: ResponseHeaders): void {
  const tag = headers.get('ETag');
  if (tag !== undefined && !String(tag).startsWith('W/')) headers.set('ETag', `W/${String(tag)}`);
}

/** Compresses a small body with a fast level on the main thread, and any other one on a thread of libuv. */
function compressWith(
  isFast: boolean,
  onMainThread: (bytes: Uint8Array) => Uint8Array,
  onThread: (bytes: Uint8Array) => Promise<Uint8Array>,
): Coder['compress'] {
  return (bytes) =>
    isFast && bytes.length <= MAIN_THREAD_BYTES ? onMainThread(bytes) : onThread(bytes);
}

function createCoders(
  levels: Partial<Record<Encoding, number>>,
): Readonly<Record<Encoding, Coder>> {
  // An import would load node:zlib with the package.
  const zlib = process.getBuiltinModule('node:zlib');
  const { constants } = zlib;
  const { zstd = 3, br = 4, gzip = 6 } = levels;
  const ofZstd = { params: { [constants.ZSTD_c_compressionLevel]: zstd } };
  const ofBr = { params: { [constants.BROTLI_PARAM_QUALITY]: br } };
  const ofGzip = { level: gzip };
  const zstdStream = { params: { ...ofZstd.params, [constants.ZSTD_c_windowLog]: STREAM_WINDOW } };
  const brStream = { params: { ...ofBr.params, [constants.BROTLI_PARAM_LGWIN]: STREAM_WINDOW } };
  return {
    zstd: {
      compress: compressWith(
        zstd <= 6,
        (bytes) => zlib.zstdCompressSync(bytes, ofZstd),
        (bytes) => promisify(zlib.zstdCompress)(bytes, ofZstd),
      ),
      createStream: () => zlib.createZstdCompress(zstdStream),
    },
    br: {
      compress: compressWith(
        br <= 5,
        (bytes) => zlib.brotliCompressSync(bytes, ofBr),
        (bytes) => promisify(zlib.brotliCompress)(bytes, ofBr),
      ),
      createStream: () => zlib.createBrotliCompress(brStream),
    },
    gzip: {
      compress: compressWith(
        true,
        (bytes) => zlib.gzipSync(bytes, ofGzip),
        (bytes) => promisify(zlib.gzip)(bytes, ofGzip),
      ),
      createStream: () => zlib.createGzip(ofGzip),
    },
  };
}

/** @throws {SetupError} `INVALID_OPTION` */
function assertOptions(options: CompressionOptions): void {
  const problems = findOptionProblems('compression()', options, COMPRESSION_OPTIONS);
  if (problems.length === 0) {
    problems.push(...findOptionProblems('compression({ levels })', options.levels, LEVELS));
  }
  throwTogether(problems);
}
