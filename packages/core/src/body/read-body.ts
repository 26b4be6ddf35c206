import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from '../context/context.js';
import {
  BadRequestError,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
} from '../errors/http-errors.js';

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', () => zlib().createGunzip()],
  ['x-gzip', () => zlib().createGunzip()],
  ['deflate', () => zlib().createInflate()],
  ['br', () => zlib().createBrotliDecompress()],
]);

/** Loaded with the first encoded body, which most services never get. */
function zlib() {
  return process.getBuiltinModule('node:zlib');
}

/**
 * Reads a request body into one buffer, never holding more than `limit` bytes of it.
 *
 * @param ctx - Context of a request whose body nobody has read yet.
 * @param limit - Largest body accepted, in bytes after content decoding.
 * @returns The whole body, decoded; empty when the request has none.
 * @throws {PayloadTooLargeError} 413, at the first byte past `limit`, or at once when
 *   `Content-Length` of a body that is not encoded exceeds it.
 * @throws {UnsupportedMediaTypeError} 415, when the content encoding is unknown.
 * @throws {BadRequestError} 400, when the encoded content is corrupt, or the client stops early.
 * @see RFC 9112 §6, §8; RFC 9110 §8.4, §15.5.14
 */
export function readBody(ctx: Context, limit: number): Promise<Buffer> {
  const { req } = ctx;
  if (req.destroyed) return Promise.reject(aborted());
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') {
    if (Number(req.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
    return collect(req, ctx.bodyStream(), limit);
  }
  const createDecoder = DECODERS.get(encoding);
  if (createDecoder === undefined) return Promise.reject(unsupported(encoding));
  const decoder = createDecoder();
  ctx.bodyStream().pipe(decoder);
  return collect(req, decoder, limit).finally(() => {
    req.unpipe(decoder);
    decoder.destroy();
    // What is left is read and dropped, so that the connection stays in sync.
    req.resume();
  });
}

/** Collects what `source` gives; `req` tells when the client stops early. */
function collect(req: IncomingMessage, source: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Most bodies come as one chunk; a list that is pushed to has room for sixteen.
    let chunks: Buffer[] | undefined;
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      // What comes after the first byte too many is dropped, so that the connection stays in sync.
      if (size > limit) return;
      size += chunk.length;
      if (size > limit) {
        chunks = undefined;
        reject(tooLarge(limit));
      } else if (chunks === undefined) chunks = [chunk];
      else chunks.push(chunk);
    });
    source.on('end', () => {
      const [only = Buffer.alloc(0)] = chunks ?? [];
      resolve(size > only.length ? Buffer.concat(chunks ?? [], size) : only);
    });
    // A request is aborted without 'error' where nobody listens for it, and closes in any case; it
    // also closes when it has been read to its end, while a decoder may still be at work.
    req.on('close', () => {
      if (!req.readableEnded) reject(aborted());
    });
    if (source !== req) source.on('error', (cause) => reject(corrupt(cause)));
  });
}

function tooLarge(limit: number): PayloadTooLargeError {
  return new PayloadTooLargeError(`The body is larger than the ${limit} bytes that are accepted.`);
}

function unsupported(encoding: string): UnsupportedMediaTypeError {
  return new UnsupportedMediaTypeError(
    `The content encoding '${encoding}' is not supported. Send the body as gzip, deflate, br, or as it is.`,
    { code: 'UNSUPPORTED_CONTENT_ENCODING', headers: { 'Accept-Encoding': 'gzip, deflate, br' } },
  );
}

function corrupt(cause: Error): BadRequestError {
  return new BadRequestError('The body does not match its content encoding.', {
    code: 'MALFORMED_CONTENT_ENCODING',
    cause,
  });
}

function aborted(): BadRequestError {
  return new BadRequestError('The client stopped before the body was complete.', {
    code: 'BODY_ABORTED',
  });
}
