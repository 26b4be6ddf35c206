import type { IncomingMessage, Server } from 'node:http';
import { duplexPair, Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { request as httpRequest } from './node-http.js';
import { BODILESS } from './response/bodiless.js';

/**
 * Sends a request to a server over a connection in memory.
 *
 * @param server - A server of node:http; it need not listen.
 * @param request - Its body is read whole before it is sent.
 * @returns The response, its body a stream.
 * @throws What `fetch` would: the reason of the request's signal, or the connection's error.
 */
export async function fetchFrom(server: Server, request: Request): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const body = Buffer.from(await request.arrayBuffer());
  const [near, far] = duplexPair();
  // One side of a pair does not close the other when it is destroyed: not at all before Node 24, and
  // not in this direction later.
  near.once('close', () => far.destroy());
  far.once('close', () => {
    if (!far.writableFinished) near.destroy();
  });
  server.emit('connection', far);

  const { pathname, search, host } = new URL(request.url);
  const headers = new Headers(request.headers);
  headers.set('Host', headers.get('Host') ?? host);
  if (!headers.has('Connection')) headers.set('Connection', 'keep-alive');
  headers.delete('Transfer-Encoding');
  if (request.body !== null) headers.set('Content-Length', String(body.length));

  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({
      createConnection: () => near,
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(headers),
      signal,
    })
      .once('response', resolve)
      .once('error', (error) => reject(signal.aborted ? signal.reason : error))
      .end(body);
  });
  incoming.once('close', () => near.destroy());
  return toResponse(incoming, request.method);
}

function toResponse(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  if (BODILESS.has(status) || method === 'HEAD') {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  const body = Readable.toWeb(incoming) as WebStream<Uint8Array>;
  return new Response(body, { status, statusText, headers });
}
