import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { describeValue } from '@fairlead/options';
import { aborted, bodyTooLarge } from '../context/context-errors.js';
import { BadRequestError, UnsupportedMediaTypeError } from '../errors/http-error.js';
import type { Exchange } from '../exchange/exchange.js';
import { sendContinue } from '../server/connection.js';

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', () => zlib().createGunzip()],
  ['x-gzip', () => zlib().createGunzip()],
  ['deflate', () => zlib().createInflate()],
  ['br', () => zlib().createBrotliDecompress()],
]);

/** Loads node:zlib when the first encoded body arrives. */
const zlib = () => process.getBuiltinModule('node:zlib');

/**
 * Reads a request body into one buffer of at most `limit` bytes.
 *
 * @param exchange - A request whose body has not been read.
 * @param limit - Largest body, in bytes after content decoding.
 * @returns The decoded body; empty when the request has none.
 * @throws {PayloadTooLargeError} 413, at the first byte past `limit`, or immediately when the
 *   `Content-Length` of an unencoded body exceeds it.
 * @throws {UnsupportedMediaTypeError} 415, when the content encoding is unknown.
 * @throws {BadRequestError} 400, when the encoded content is corrupt or the client disconnects early.
 * @see RFC 9112 §6, §8; RFC 9110 §8.4, §15.5.14
 */
export function readBody({ req, res, connection }: Exchange, limit: number): Promise<Buffer> {
  if (req.destroyed) return Promise.reject(aborted());
  const encoding = req.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') {
    if (Number(req.headers['content-length'] ?? 0) > limit)
      return Promise.reject(bodyTooLarge(limit));
    if (connection?.continues !== undefined) sendContinue(req, res);
    return collect(req, req, limit);
  }
  const createDecoder = DECODERS.get(encoding);
  if (createDecoder === undefined) {
    const message = `The content encoding ${describeValue(encoding)} is not supported. Send the body as gzip, deflate or br, or unencoded.`;
    const headers = { 'Accept-Encoding': 'gzip, deflate, br' };
    const options = { code: 'UNSUPPORTED_CONTENT_ENCODING', headers };
    return Promise.reject(new UnsupportedMediaTypeError(message, options));
  }
  const decoder = createDecoder();
  sendContinue(req, res);
  req.pipe(decoder);
  return collect(req, decoder, limit).finally(() => {
    req.unpipe(decoder);
    decoder.destroy();
    // Discard the rest, so the next request on the connection starts at its first byte.
    req.resume();
  });
}

/** Collects the chunks of `source`. Rejects when `req` closes early. */
function collect(req: IncomingMessage, source: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Most bodies are a single chunk. Pushing to an empty array would allocate room for sixteen.
    let chunks: Buffer[] | undefined;
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      // Discard the rest of a body that is too large, so the next request can follow.
      if (size > limit) return;
      size += chunk.length;
      if (size > limit) {
        chunks = undefined;
        reject(bodyTooLarge(limit));
      } else if (chunks === undefined) chunks = [chunk];
      else chunks.push(chunk);
    });
    source.on('end', () => {
      const [only = Buffer.alloc(0)] = chunks ?? [];
      resolve(size > only.length ? Buffer.concat(chunks ?? [], size) : only);
    });
    // An aborted request always emits 'close', but 'error' only if it has a listener. A complete
    // request may also close while the decoder is still working.
    req.on('close', () => {
      if (!req.readableEnded) reject(aborted());
    });
    if (source === req) return;
    source.on('error', (cause) => {
      const message = 'The body does not match its content encoding.';
      reject(new BadRequestError(message, { code: 'MALFORMED_CONTENT_ENCODING', cause }));
    });
  });
}
