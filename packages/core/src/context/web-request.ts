import { MethodNotAllowedError } from '../errors/http-error.js';
import { clientOf, type Exchange, hasBody, hasUnreadBody } from '../exchange/exchange.js';
import { sendContinue } from '../server/connection.js';
import { bodyAlreadyRead, bodyTooLarge } from './context-errors.js';

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
 */
export function createWebRequest(
  exchange: Exchange,
  { path, signal, limit = Number.POSITIVE_INFINITY }: RequestDetails,
): Request {
  const { req, target, rawBody } = exchange;
  const { protocol, host } = clientOf(exchange);
  const method = req.method ?? 'GET';
  if (method === 'TRACE' || method === 'TRACK')
    throw new MethodNotAllowedError(undefined, { allow: METHODS });
  const search = target.search === '' ? '' : `?${target.search}`;
  const headers = headersOf(req.rawHeaders);
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal };
  if (method !== 'GET' && method !== 'HEAD' && hasBody(req)) {
    if (Number(req.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(limit);
    if (rawBody !== undefined) {
      if (rawBody.length > limit) throw bodyTooLarge(limit);
      // They describe the bytes before they were decoded.
      for (const name of ['Content-Encoding', 'Content-Length']) headers.delete(name);
      init.body = new Uint8Array(rawBody);
    } else {
      init.body = streamBody(exchange, limit);
      init.duplex = 'half';
    }
  }
  return new Request(`${protocol}://${host || 'localhost'}${path}${search}`, init);
}

function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}

/** Streams the body that the client sends. Asks for it when something reads the stream. */
function streamBody(exchange: Exchange, limit: number): ReadableStream<Uint8Array> {
  const { req, res } = exchange;
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let size = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        if (chunks === undefined) {
          if (!hasUnreadBody(exchange)) throw bodyAlreadyRead(exchange);
          sendContinue(req, res);
          // The connection may serve further requests after a body that nothing reads to its end.
          chunks = req.iterator({ destroyOnReturn: false });
        }
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        size += value.length;
        if (size > limit) {
          req.resume();
          throw bodyTooLarge(limit);
        }
        controller.enqueue(value);
      },
      async cancel() {
        await chunks?.return?.();
        req.resume();
      },
    },
    { highWaterMark: 0 },
  );
}
