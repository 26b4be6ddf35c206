import { BadRequestError, MethodNotAllowedError } from '../errors/http-error.js';
import { clientOf, type Exchange, hasBody, hasUnreadBody } from '../exchange/exchange.js';
import { headersOf } from '../node-http.js';
import { onClose, sendContinue } from '../server/connection.js';
import type { Client } from '../server/trusted-proxies.js';
import { aborted, bodyAlreadyRead, bodyTooLarge } from './context-errors.js';

/** How to create a web `Request`. */
interface RequestDetails {
  /** The path, in normal form. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Largest body, in bytes. */
  readonly limit?: number;
}

/** The methods that a web `Request` can have, of those that are registered. Fetch Standard §2.2.1 */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/**
 * Creates the web `Request` of a request. Its body is the bytes that a parser has kept, or else what the client sends.
 *
 * @throws {PayloadTooLargeError} 413, when `Content-Length` exceeds the limit. Later, the body fails with it.
 * @throws {MethodNotAllowedError} 405, for TRACE, which no web `Request` can have.
 * @throws {BadRequestError} 400 `AMBIGUOUS_PATH`, when the URL of the `Request` would have another path.
 */
export function createWebRequest(
  exchange: Exchange,
  { path, signal, limit = Number.POSITIVE_INFINITY }: RequestDetails,
): Request {
  const { method, rawBody, req, target } = exchange;
  const client = clientOf(exchange);
  if (method === 'TRACE') throw new MethodNotAllowedError(undefined, { allow: METHODS });
  if (RESOLVED.test(path)) throw ambiguousPath('dot segments');
  const search = target.search === '' ? '' : `?${target.search}`;
  const headers = headersOf(req.rawHeaders);
  setForwarded(headers, client);
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal };
  if (method !== 'GET' && method !== 'HEAD' && hasBody(req)) {
    if (Math.max(Number(req.headers['content-length'] ?? 0), rawBody?.length ?? 0) > limit)
      throw bodyTooLarge(limit);
    if (rawBody !== undefined) {
      // They describe the bytes before they were decoded.
      for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name);
      init.body = new Uint8Array(rawBody);
    } else {
      init.body = streamBody(exchange, limit);
      init.duplex = 'half';
    }
  }
  return new Request(`${client.protocol}://${client.host || 'localhost'}${path}${search}`, init);
}

/** Matches the segments that a URL resolves. Those of a path in normal form are not encoded. URL Standard §4.4 */
const RESOLVED = /\/\.\.?(?:\/|$)/;

/**
 * Creates the error for a path that a handler could read as another one than the router, and what runs before a route.
 *
 * @param causes - What makes it ambiguous.
 */
export function ambiguousPath(causes: string): BadRequestError {
  return new BadRequestError(`The path is ambiguous. Send it without ${causes}.`, {
    code: 'AMBIGUOUS_PATH',
  });
}

/** Libraries trust these headers, in which clients can send any value. */
function setForwarded(headers: Headers, { ip, protocol, host }: Client): void {
  headers.delete('Forwarded');
  for (const [name, value] of Object.entries({ For: ip, Proto: protocol, Host: host })) {
    headers.set(`X-Forwarded-${name}`, value);
    if (value === '') headers.delete(`X-Forwarded-${name}`);
  }
}

/**
 * Streams the body that the client sends. Asks for it when something reads the stream. Discards what nothing reads, so
 * that the next request on the connection can follow.
 */
function streamBody(exchange: Exchange, limit: number): ReadableStream<Uint8Array> {
  const { req, res } = exchange;
  let isStarted = false;
  let isDone = false;
  let size = 0;
  const finish = (settle?: () => void): void => {
    if (!isDone) settle?.();
    isDone = true;
    req.resume();
  };
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (!hasUnreadBody(exchange)) throw bodyAlreadyRead(exchange);
    isStarted = true;
    sendContinue(req, res);
    req.on('data', (chunk: Buffer) => {
      if (isDone) return;
      size += chunk.length;
      if (size > limit) return finish(() => controller.error(bodyTooLarge(limit)));
      // Its memory may be shared.
      controller.enqueue(new Uint8Array(chunk));
      req.pause();
    });
    req.on('end', () => finish(() => controller.close()));
    const abort = (): void => finish(() => controller.error(aborted()));
    req.on('close', abort);
    // If the client disconnects, the response closes before the request emits 'close'.
    onClose(res, abort);
  };
  return new ReadableStream(
    {
      pull(controller) {
        if (!isStarted) start(controller);
        req.resume();
      },
      cancel: () => finish(),
    },
    { highWaterMark: 0 },
  );
}
