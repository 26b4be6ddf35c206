import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { integer, type Kinds, object } from '@fairlead/options';
import { HttpError, titleOf } from '../errors/http-error.js';
import { describeProblem } from '../errors/problem.js';
import { createServer as createNodeServer } from '../node-http.js';
import { SetupError } from '../setup/setup-error.js';
import { admit, announceEnd, connectionOf, expectContinue, track } from './connection.js';
import { acceptUpgrades } from './upgrade.js';

/** Limits on the requests that a server accepts, and its timeouts. */
export interface ServerLimits {
  /** Milliseconds from the start of a request until its headers are complete; 20,000 by default. */
  readonly headersTimeout?: number;
  /** Milliseconds from the start of a request until its body is complete; 120,000 by default. */
  readonly requestTimeout?: number;
  /**
   * Milliseconds that a connection may stay idle between two requests; 72,000 by default. Responses
   * announce it as `Keep-Alive: timeout=<seconds>`. 0 sets no limit.
   */
  readonly keepAliveTimeout?: number;
  /**
   * Milliseconds that a client may accept no bytes of a pending response before the server closes its
   * connection; 30,000 by default. 0 sets no limit.
   */
  readonly writeTimeout?: number;
  /** Maximum bytes of the request line and headers together; 16,384 by default. */
  readonly maxHeaderSize?: number;
  /** Maximum number of request headers; 200 by default. */
  readonly maxHeaders?: number;
  /** Maximum bytes of the request target; 8,192 by default. */
  readonly maxTargetSize?: number;
}

const MILLISECONDS = integer(0, undefined, 'number of milliseconds');
const BYTES = integer(0, undefined, 'number of bytes');

export const SERVER_LIMITS: Kinds<ServerLimits> = {
  headersTimeout: MILLISECONDS,
  requestTimeout: MILLISECONDS,
  keepAliveTimeout: MILLISECONDS,
  writeTimeout: MILLISECONDS,
  maxHeaderSize: BYTES,
  maxHeaders: integer(0),
  maxTargetSize: BYTES,
};

/** Fills in the default limits. */
export function completeLimits(limits: ServerLimits): Required<ServerLimits> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const defaults = {
    headersTimeout: 20_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    writeTimeout: 30_000,
    maxHeaderSize: 16_384,
    maxHeaders: 200,
    maxTargetSize: 8_192,
  };
  return Object.freeze({ ...defaults, ...Object.fromEntries(given) });
}

/**
 * Creates a node:http server that refuses requests that are too long, too slow or malformed. Refusals
 * have a problem body and are sent in the order of the requests. WebSocket handshakes are requests, too.
 *
 * @param limits - The caller enforces `keepAliveTimeout` and `writeTimeout`.
 * @param closing - Aborts when the server starts closing; undefined for connections in memory.
 * @throws {SetupError} `INVALID_OPTION`, when Node.js rejects the TLS options.
 * @see RFC 9112 §3 (414), §3.2 (Host), §6.1 (HTTP/1.0), RFC 6585 §5 (431), RFC 9110 §15.5.9, §15.6.6, §10.1.1 (Expect)
 */
export function createServer(
  handle: RequestListener,
  limits: Required<ServerLimits>,
  tls?: TlsOptions,
  closing?: AbortSignal,
): Server {
  const { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize } = limits;
  const admitRequest = admit((req, res) => {
    const refusal = checkHead(req, limits);
    if (refusal === undefined) handle(req, res);
    else refuse(res, refusal);
  });
  const options: ServerOptions & { optimizeEmptyRequests: boolean } = {
    // Node throws when headersTimeout exceeds requestTimeout.
    headersTimeout: requestTimeout > 0 ? Math.min(headersTimeout, requestTimeout) : headersTimeout,
    requestTimeout,
    // Node would set and clear a timer for each request. listen() checks all connections instead.
    keepAliveTimeout: 0,
    maxHeaderSize,
    // checkHead() checks Host instead, because it also refuses repeated Host headers.
    requireHostHeader: false,
    // How often Node.js checks headersTimeout and requestTimeout.
    connectionsCheckingInterval: checkInterval(headersTimeout, requestTimeout),
    // A request without a body starts as an ended stream. Node 22 ignores the option.
    optimizeEmptyRequests: true,
  };
  const keepAlive =
    keepAliveTimeout > 0 ? `timeout=${Math.floor(keepAliveTimeout / 1_000)}` : undefined;
  const server = tls === undefined ? createNodeServer(options) : createTlsServer(options, tls);
  // Node would silently drop headers past its limit. checkHead() refuses the request instead.
  server.maxHeadersCount = 0;
  const ready = connectionEvent(tls);
  acceptUpgrades(server, ready);
  // `100 Continue` is sent when the body is read, so a refused body is never sent.
  server.on('checkContinue', (req, res) => {
    expectContinue(req);
    admitRequest(req, res);
  });
  const refuseExpectation = admit((_req, res) => refuse(res, EXPECTATION_FAILED));
  return server
    .on(ready, (socket: Socket) => track(socket, keepAlive, closing))
    .on('request', admitRequest)
    .on('checkExpectation', refuseExpectation)
    .on('clientError', onClientError);
}

/** Returns the event that a server emits for a connection that is ready for HTTP. */
export function connectionEvent(tls: TlsOptions | undefined): string {
  return tls === undefined ? 'connection' : 'secureConnection';
}

/** Options that authenticate a server to its clients, besides a certificate with a key. */
const IDENTITIES = ['pfx', 'secureContext', 'SNICallback', 'pskCallback'] as const;

/**
 * Finds what is wrong with the option `tls` of `listen()`. Node.js checks the values, which are secret: messages
 * do not show them.
 */
export function findTlsProblems(tls: TlsOptions | undefined): readonly string[] {
  const problem = tls === undefined ? undefined : findTlsProblem(tls);
  return problem === undefined ? [] : [`${INVALID_TLS} ${problem}. Pass tls: { key, cert }.`];
}

function findTlsProblem(tls: TlsOptions): string | undefined {
  if (!object.accepts(tls)) return 'it is not an object';
  if (IDENTITIES.some((name) => tls[name] !== undefined)) return undefined;
  if (tls.cert === undefined) return 'it has no certificate';
  const hasKey = (tls.key ?? tls.privateKeyIdentifier) !== undefined;
  return hasKey ? undefined : 'it has no key for the certificate';
}

const INVALID_TLS = 'Invalid tls option of listen():';

function createTlsServer(options: ServerOptions, tls: TlsOptions): Server {
  // Loaded here, because most applications leave TLS to a proxy.
  const { createServer } = process.getBuiltinModule('node:https');
  const { headersTimeout: handshakeTimeout = 0 } = options;
  try {
    return createServer({ ...(handshakeTimeout > 0 && { handshakeTimeout }), ...tls, ...options });
  } catch (cause) {
    const problem = `${INVALID_TLS} ${(cause as Error).message}. Check the key and the certificate.`;
    throw new SetupError('INVALID_OPTION', problem, { cause });
  }
}

const EXPECTATION_FAILED = new HttpError(
  417,
  "The server does not support this expectation. Send 'Expect: 100-continue' or no Expect header.",
);

/** Returns the interval at which to check timeouts, in milliseconds. */
export function checkInterval(...timeouts: readonly number[]): number {
  const shortest = Math.min(...timeouts.filter((timeout) => timeout > 0));
  return Math.min(1_000, Math.max(50, shortest / 4));
}

/** Matches a host with an optional port, or nothing. Refuses commas, which may join hosts. RFC 3986 §3.2.2 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*|\[[\da-f]*:[\da-f:.]+\])(?::\d*)?$/i;

/** The last `Host` that matched. Most requests repeat it. */
let knownHost = '';

/** Returns the error of an unacceptable request head, or undefined. Without a version, Node.js assumes HTTP/0.9. */
function checkHead(
  req: IncomingMessage,
  { maxHeaders, maxTargetSize }: Required<ServerLimits>,
): HttpError | undefined {
  const { url = '', rawHeaders, httpVersion } = req;
  if (url.length > maxTargetSize)
    return new HttpError(414, `The request target is longer than ${maxTargetSize} bytes.`);
  if (rawHeaders.length > 2 * maxHeaders)
    return new HttpError(431, `The request has more than ${maxHeaders} headers.`);
  let hosts = 0;
  let host = '';
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      host = rawHeaders[index + 1] ?? '';
    }
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new HttpError(400, `The request has ${hosts} Host headers. Send exactly one.`);
  if (host !== knownHost && !HOST.test(host))
    return new HttpError(400, 'The Host header is not a host. Send that of the URL.');
  knownHost = host;
  if (httpVersion === '1.1') return undefined;
  if (httpVersion !== '1.0')
    return new HttpError(httpVersion === '0.9' ? 400 : 505, 'Send HTTP/1.1.', { expose: true });
  if (req.headers['transfer-encoding'] === undefined) return undefined;
  return new HttpError(400, 'HTTP/1.0 has no Transfer-Encoding. Send a Content-Length.');
}

/** Refuses a request before it reaches the application, and closes the connection. */
function refuse(res: ServerResponse, error: HttpError): void {
  const { body, headers } = describeRefusal(error);
  announceEnd(res);
  res.writeHead(error.status, headers).end(body);
}

function describeRefusal(error: HttpError) {
  const body = JSON.stringify(describeProblem(error, undefined, false));
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  return { body, headers };
}

/** Milliseconds in which a client may read a refusal and close its side of the connection. */
const LINGER = 1_000;

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Sends 408 on a connection whose next request head is not complete in time, and closes it. */
export function refuseLate(socket: Socket): void {
  onClientError(Object.assign(new Error('Request timeout'), { code: REQUEST_TIMEOUT }), socket);
}

/** Responds to invalid bytes or to a request that timed out, and closes the connection. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = connectionOf(socket);
  const latest = connection?.latest ?? undefined;
  const respond = () => {
    socket.end(formatRefusal(error.code));
    // If bytes are unread, closing immediately would reset the connection, and the client might lose the response.
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
  // Bytes after the last request of the connection: its response closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  // If the socket is not tracked, its TLS handshake has failed.
  if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else if (latest === undefined) respond();
  else if (!latest.req.complete) {
    // The latest request is itself invalid or late. If its response has started, or earlier responses
    // are pending, the refusal cannot be sent.
    if (latest.headersSent || latest.socket === null) socket.destroy();
    else respond();
  } else if (!connection.isEnding) {
    // The response to an earlier request goes first.
    announceEnd(latest);
    if (latest.writableFinished) respond();
    else latest.once('finish', respond);
  }
}

/** Formats a refusal as an HTTP/1.1 response. */
function formatRefusal(code: string | undefined): string {
  const [status, message] = REFUSALS[code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  const { body, headers } = describeRefusal(new HttpError(status, message));
  return [
    `HTTP/1.1 ${status} ${titleOf(status)}`,
    `Date: ${new Date().toUTCString()}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and headers are too long.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the body are too long.'],
  [REQUEST_TIMEOUT]: [408, 'The request did not complete in time.'],
};
