import type { IncomingMessage, RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { type Duplex, duplexPair, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeValue, type Kinds, kind, NO_CONTENT_STATUSES, warn } from '@fairlead/options';
import { headersOf, request as httpRequest } from '../node-http.js';
import { assertOptions } from '../setup/options.js';
import { SetupError } from '../setup/setup-error.js';
import { onClose } from './connection.js';
import { createServer } from './create-server.js';
import { completeLimits } from './limits.js';
import { lengthOf, startBody } from './request-body.js';

/** Destroys the connections of responses that were garbage-collected before they were read. */
const unread = new FinalizationRegistry((connection: Duplex) => connection.destroy());

/** The IP address of a call that tells none. */
const DEFAULT_IP = '127.0.0.1';

/** The connections of calls of `app.fetch()` that tell no address. */
const unknown = new WeakSet<object>();

let isWarned = false;

/** Whether a runner of tests has started the process. */
function isTest(): boolean {
  return process.env.NODE_ENV === 'test' || process.env.NODE_TEST_CONTEXT !== undefined;
}

/**
 * Warns once, when something reads the address of a client that `app.fetch()` was not told: within another server, all
 * clients would share one.
 *
 * @param ip - The address that was read.
 */
export function checkCaller(ip: string, { method, url = '', socket }: IncomingMessage): void {
  if (ip !== DEFAULT_IP || isWarned || isTest() || !unknown.has(socket)) return;
  isWarned = true;
  const [path] = url.split('?');
  warn(
    'FAIRLEAD_UNKNOWN_CALLER',
    `app.fetch() was not told who sends the request ${method} ${path}, so ctx.ip is ${DEFAULT_IP} for every client: they share one rate limit, and logs name none of them. Pass the address that the other server knows, as in app.fetch(request, { ip: '192.0.2.7' }), or { ip: '${DEFAULT_IP}' } if the caller is this process.`,
  );
}

/** The client of a call without a socket. */
export interface Caller {
  /** The IP address of the connection; `127.0.0.1` by default. */
  readonly ip?: string;
}

/** Options of `app.fetch()`. */
export interface FetchOptions extends Caller {
  /**
   * The path and query to send in place of those in the request's URL, which has resolved `..` and `%2e%2e`.
   * For adapters, whose requests should reach the application as they came. ASCII without spaces.
   */
  readonly target?: string;
}

const CALLER_OPTIONS: Kinds<Caller> = {
  ip: kind('an IPv4 or IPv6 address', (value) => typeof value === 'string' && isIP(value) !== 0),
};

const FETCH_OPTIONS: Kinds<FetchOptions> = {
  ...CALLER_OPTIONS,
  target: kind(
    "a path such as '/users?page=2', with percent-encoded spaces",
    (value) => typeof value === 'string' && /^\/[\x21-\x7e]*$/.test(value),
  ),
};

/** Whether a value is a Request, from Node.js or a library. */
function isRequest(value: unknown): boolean {
  const { url, arrayBuffer }: { url?: unknown; arrayBuffer?: unknown } = Object(value);
  return typeof url === 'string' && typeof arrayBuffer === 'function';
}

/** Creates the request of `app.request()`. @throws {SetupError} `INVALID_OPTION` */
export function createRequest(path: string, init: RequestInit | undefined): Request {
  if (typeof path !== 'string') {
    throw new SetupError(
      'INVALID_OPTION',
      `app.request() cannot use ${describeValue(path)} as path. Pass a path such as '/users', or call app.fetch() with a Request.`,
    );
  }
  if (typeof (init ?? {}) !== 'object') {
    throw new SetupError(
      'INVALID_OPTION',
      `options of app.request() must be an object: got ${describeValue(init)}.`,
    );
  }
  // `new URL('//users', base)` would read 'users' as the host.
  const url = path.startsWith('/') ? `http://localhost${path}` : path;
  return new Request(new URL(url, 'http://localhost'), init);
}

/** Sends requests to a request listener over in-memory connections. */
export class InProcess {
  readonly #server;
  /** The client side of each open connection, with a promise that resolves when its server side closes. */
  readonly #connections = new Map<Duplex, Promise<void>>();
  #closedBy: Error | undefined = undefined;

  constructor(handle: RequestListener) {
    this.#server = createServer((req, res) => {
      const { socket } = req;
      // Each connection carries one request.
      onClose(res, () => socket.end());
      handle(req, res);
    }, completeLimits({}));
    // Deno destroys the connections of a server that has stopped listening, although they have bytes to send.
    Object.defineProperty(this.#server, 'listening', { value: true });
  }

  /**
   * Sends a request. The connection closes when the body of the response has been read, canceled or
   * garbage-collected.
   *
   * @param isKnown - Whether the caller is this process, unless it tells another address.
   */
  async fetch(request: Request, options: FetchOptions, isKnown: boolean): Promise<Response> {
    if (!isRequest(request)) {
      throw new SetupError(
        'INVALID_OPTION',
        `app.fetch() cannot use ${describeValue(request)} as request. Pass a Request, or call app.request() with a path.`,
      );
    }
    assertOptions('app.fetch()', options, FETCH_OPTIONS);
    const { signal } = request;
    signal.throwIfAborted();
    const body = await startBody(request);
    if (this.#closedBy !== undefined && body instanceof Readable) body.destroy();
    const { protocol, pathname, search, host } = new URL(request.url);
    const { ip, target = pathname + search } = options;
    const isTold = isKnown || ip !== undefined;
    const connection = this.#open(ip ?? DEFAULT_IP, protocol === 'https:', isTold);

    const headers = new Headers(request.headers);
    headers.set('Host', headers.get('Host') ?? host);
    if (!headers.has('Connection')) headers.set('Connection', 'keep-alive');
    headers.delete('Transfer-Encoding');
    if (body instanceof Readable) {
      // Node.js would not frame the body of DELETE.
      if (lengthOf(headers) === undefined) {
        headers.delete('Content-Length');
        headers.set('Transfer-Encoding', 'chunked');
      }
    } else if (request.body !== null) headers.set('Content-Length', String(body.length));

    /** Returns why the request has failed, when its connection fails with an error. */
    const explain = (error: unknown): unknown => {
      if (signal.aborted) return signal.reason;
      return (body instanceof Readable && body.errored) || error;
    };
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = httpRequest({
        createConnection: () => connection,
        method: request.method,
        path: target,
        headers: Object.fromEntries(headers),
        // Node.js would replace an empty one.
        setHost: false,
        signal,
      });
      outgoing.once('response', resolve).on('error', (error) => reject(explain(error)));
      if (body instanceof Readable) {
        body.on('error', (error) => outgoing.destroy(error)).pipe(outgoing);
        connection.once('close', () => body.destroy());
      } else outgoing.end(body);
    });
    incoming.once('close', () => connection.destroy());
    const response = toResponse(incoming, request.method, connection, explain);
    // By the next turn, the listeners of `ctx.onFinish()` have run, unless the response is long or streamed.
    await nextTurn();
    return response;
  }

  /** Opens a connection for one request. */
  connect(caller: Caller): Duplex {
    assertOptions('app.connect()', caller, CALLER_OPTIONS);
    return this.#open(caller.ip ?? DEFAULT_IP, false, true);
  }

  /** Destroys the connections. Pending and later requests reject with `reason`. */
  async close(reason: Error): Promise<void> {
    this.#closedBy = reason;
    const closed = [...this.#connections.values()];
    for (const connection of this.#connections.keys()) connection.destroy(reason);
    await Promise.all(closed);
  }

  #open(remoteAddress: string, encrypted: boolean, isTold: boolean): Duplex {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const [near, far] = duplexPair();
    // Sockets have these properties.
    Object.assign(far, { remoteAddress, encrypted });
    // Tells only whether something was written.
    const bytesWritten = { get: () => near.readableLength + Number(near.readableDidRead) };
    Object.defineProperty(far, 'bytesWritten', bytesWritten);
    if (!isTold) unknown.add(far);
    // Destroying one side does not close the other. Since Node 24 the other side sees the end of its
    // input; before, it sees nothing.
    near.once('close', () => far.destroy());
    // Once the response is complete, Node's client ignores the end of the connection.
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

function toResponse(
  incoming: IncomingMessage,
  method: string,
  connection: Duplex,
  explain: (error: unknown) => unknown,
): Response {
  const { statusCode: status = 500, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = headersOf(rawHeaders);
  if (NO_CONTENT_STATUSES.has(status) || method === 'HEAD') {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  const body = toWebStream(incoming, explain);
  unread.register(body, connection);
  return new Response(body, { status, statusText, headers });
}

/**
 * Converts a message to a web stream. `Readable.toWeb` would keep a reference to the stream while the
 * connection is open. Here only a pending read does, so an unreachable stream can be garbage-collected.
 */
function toWebStream(
  incoming: IncomingMessage,
  explain: (error: unknown) => unknown,
): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Buffer> = incoming[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next().catch((error: unknown) => {
          throw explain(error);
        });
        if (done) controller.close();
        // Copy the chunk, which may share memory with the sender.
        else controller.enqueue(new Uint8Array(value));
      },
      cancel() {
        incoming.destroy();
      },
    },
    // The connection already buffers.
    { highWaterMark: 0 },
  );
}
