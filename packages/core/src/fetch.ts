import type { IncomingMessage, RequestListener } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { request as httpRequest } from './node-http.js';
import { BODILESS } from './response/bodiless.js';
import { completeLimits, createServer } from './server.js';

/** Ends the connections of responses that were collected before they were read. */
const unread = new FinalizationRegistry((connection: Duplex) => connection.destroy());

/** Sends requests to a listener over connections in memory. */
export class InProcess {
  readonly #server;
  /** The near side of each open connection, with a promise that resolves once the far side has closed. */
  readonly #connections = new Map<Duplex, Promise<void>>();
  #closedBy: Error | undefined = undefined;

  /** @param handle - Answers the requests. */
  constructor(handle: RequestListener) {
    this.#server = createServer(handle, completeLimits({}));
    // A connection carries one request.
    this.#server.prependListener('request', ({ socket }, res) => {
      res.once('close', () => socket.end());
    });
  }

  /**
   * Sends a request.
   *
   * @param request - Its body is read whole before it is sent.
   * @returns The response, its body a stream. The connection ends when the body was read or canceled,
   *   or was collected as garbage.
   * @throws What `fetch` would: the reason of the request's signal, or the connection's error.
   */
  async fetch(request: Request): Promise<Response> {
    const { signal } = request;
    signal.throwIfAborted();
    const body = Buffer.from(await request.arrayBuffer());
    const connection = this.#connect();

    const { pathname, search, host } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set('Host', headers.get('Host') ?? host);
    if (!headers.has('Connection')) headers.set('Connection', 'keep-alive');
    headers.delete('Transfer-Encoding');
    if (request.body !== null) headers.set('Content-Length', String(body.length));

    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest({
        createConnection: () => connection,
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(headers),
        signal,
      })
        .once('response', resolve)
        .once('error', (error) => reject(signal.aborted ? signal.reason : error))
        .end(body);
    });
    incoming.once('close', () => connection.destroy());
    return toResponse(incoming, request.method, connection);
  }

  /**
   * Destroys the open connections, and resolves once the server has noticed.
   *
   * @param reason - What unanswered requests and later ones reject with.
   */
  async close(reason: Error): Promise<void> {
    this.#closedBy = reason;
    const closed = [...this.#connections.values()];
    for (const connection of this.#connections.keys()) connection.destroy(reason);
    await Promise.all(closed);
  }

  #connect(): Duplex {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const [near, far] = duplexPair();
    // One side of a pair does not close the other when it is destroyed: not at all before Node 24, and
    // not in this direction later.
    near.once('close', () => far.destroy());
    // node's client no longer listens when it has the whole response.
    near.once('end', () => near.destroy());
    const closed = new Promise<void>((resolve) => {
      far.once('close', () => {
        if (!far.writableFinished) near.destroy();
        this.#connections.delete(near);
        resolve();
      });
    });
    this.#connections.set(near, closed);
    this.#server.emit('connection', far);
    return near;
  }
}

function toResponse(incoming: IncomingMessage, method: string, connection: Duplex): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  if (BODILESS.has(status) || method === 'HEAD') {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  const body = toWebStream(incoming);
  unread.register(body, connection);
  return new Response(body, { status, statusText, headers });
}

/**
 * Makes a web stream of a message. `Readable.toWeb` would hold the stream from the open connection;
 * here only a pending read does, so a stream that nobody can read any more is collected.
 */
function toWebStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = incoming[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        // A chunk may share its memory with the sender.
        else controller.enqueue(new Uint8Array(value));
      },
      cancel() {
        incoming.destroy();
      },
    },
    // The connection buffers what was not asked for.
    { highWaterMark: 0 },
  );
}
