import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { expectContinue } from './context/expectation.js';
import { assertLimit } from './errors/assert-limit.js';
import { HttpError } from './errors/http-error.js';
import { describeProblem } from './errors/problem.js';
import { createServer as createNodeServer } from './node-http.js';
import { admit, announceEnd, connectionOf, track } from './response/connection.js';

/** What a server accepts, and how long it waits. */
export interface ServerLimits {
  /** Milliseconds from the start of a request until its headers are complete; 20,000 by default. */
  readonly headersTimeout?: number;
  /** Milliseconds from the start of a request until its body is complete; 120,000 by default. */
  readonly requestTimeout?: number;
  /**
   * Milliseconds that a connection may stay open between two requests; 72,000 by default. Responses
   * announce it as `Keep-Alive: timeout=<seconds>`. 0 sets no limit.
   */
  readonly keepAliveTimeout?: number;
  /**
   * Milliseconds that a client may take none of the bytes that wait for it before its connection is
   * closed; 30,000 by default. 0 sets no limit.
   */
  readonly writeTimeout?: number;
  /** Bytes of a request line and headers together; 16,384 by default. */
  readonly maxHeaderSize?: number;
  /** Number of request headers; 200 by default. */
  readonly maxHeaders?: number;
  /** Bytes of a request target; 8,192 by default. */
  readonly maxTargetSize?: number;
}

/**
 * Completes limits with their defaults.
 *
 * @throws {SetupError} `INVALID_LIMIT`, when one is not a whole number from 0 up.
 */
export function completeLimits(limits: ServerLimits): Required<ServerLimits> {
  const {
    headersTimeout = 20_000,
    requestTimeout = 120_000,
    keepAliveTimeout = 72_000,
    writeTimeout = 30_000,
    maxHeaderSize = 16_384,
    maxHeaders = 200,
    maxTargetSize = 8_192,
  } = limits;
  const all = {
    headersTimeout,
    requestTimeout,
    keepAliveTimeout,
    writeTimeout,
    maxHeaderSize,
    maxHeaders,
    maxTargetSize,
  };
  for (const [name, limit] of Object.entries(all)) assertLimit(name, limit);
  return Object.freeze(all);
}

/**
 * Creates a server of node:http that refuses what is too long, too slow or malformed with a problem
 * body, in the order of the requests.
 *
 * @param handle - Answers every other request.
 * @param limits - The caller enforces `keepAliveTimeout` and `writeTimeout`.
 * @see RFC 9112 §3 (414), §3.2 (Host), RFC 6585 §5 (431), RFC 9110 §15.5.9 (408), §10.1.1 (Expect, 417)
 */
export function createServer(handle: RequestListener, limits: Required<ServerLimits>): Server {
  const { headersTimeout, requestTimeout, maxHeaderSize, maxHeaders, maxTargetSize } = limits;
  const run: RequestListener = (req, res) => {
    const refusal = checkHead(req, maxHeaders, maxTargetSize);
    if (refusal === undefined) handle(req, res);
    else refuse(res, refusal);
  };
  const options: ServerOptions & { optimizeEmptyRequests: boolean } = {
    // node refuses one that is longer than the time for the whole request.
    headersTimeout: requestTimeout > 0 ? Math.min(headersTimeout, requestTimeout) : headersTimeout,
    requestTimeout,
    // node's own sets a timer twice a request; listen() looks for idle connections now and then.
    keepAliveTimeout: 0,
    maxHeaderSize,
    // checkHead looks at Host, and at its number, too.
    requireHostHeader: false,
    // How precise the time-outs are.
    connectionsCheckingInterval: checkInterval(headersTimeout, requestTimeout),
    // A request without a body begins as a stream that has ended; Node 22 does not know the option.
    optimizeEmptyRequests: true,
  };
  const server = createNodeServer(options);
  // node would drop the headers past its own limit without a word; onRequest refuses them.
  server.maxHeadersCount = 0;
  // 100 Continue is sent when the body is asked for, so that a refused one is never sent.
  server.on('checkContinue', (req, res) => {
    expectContinue(req);
    admit(req, res, run);
  });
  server.on('checkExpectation', (req, res) => admit(req, res, refuseExpectation));
  return server
    .on('connection', (socket: Socket) => track(socket, limits.keepAliveTimeout))
    .on('request', (req, res) => admit(req, res, run))
    .on('clientError', onClientError);
}

const refuseExpectation: RequestListener = (_req, res) => {
  refuse(res, new HttpError(417, "The only expectation that is met is '100-continue'."));
};

/** Milliseconds between two looks at connections for which time-outs in milliseconds hold; 0 is none. */
export function checkInterval(...timeouts: readonly number[]): number {
  const shortest = Math.min(...timeouts.filter((timeout) => timeout > 0));
  return Math.min(1_000, Math.max(50, shortest / 4));
}

/** Why a request line and headers cannot be accepted, or undefined. */
function checkHead(
  { url = '', rawHeaders, httpVersion }: IncomingMessage,
  maxHeaders: number,
  maxTargetSize: number,
): HttpError | undefined {
  if (url.length > maxTargetSize) {
    return new HttpError(414, `The request target is longer than ${maxTargetSize} bytes.`);
  }
  if (rawHeaders.length > 2 * maxHeaders) {
    return new HttpError(431, `The request has more than ${maxHeaders} headers.`);
  }
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    return new HttpError(400, `A request has one Host header, and this one has ${hosts}.`);
  }
  return undefined;
}

/** Answers a request that never gets to the application. */
function refuse(res: ServerResponse, error: HttpError): void {
  const body = JSON.stringify(describeProblem(error, undefined, false));
  announceEnd(res);
  res
    .writeHead(error.status, {
      'Content-Type': 'application/problem+json',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    })
    .end(body);
}

/** The code of node's error for a request that is not complete in time. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Answers 408 on a connection whose next request does not begin in time, and ends it. */
export function refuseLate(socket: Socket): void {
  onClientError(Object.assign(new Error('Request timeout'), { code: REQUEST_TIMEOUT }), socket);
}

/** Answers bytes that are no request, or a request that does not end, and ends the connection. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = connectionOf(socket);
  const latest = connection?.latest ?? undefined;
  const answer = () => socket.end(describeRefusal(error));
  // Bytes behind a request that ends the connection: its response does so, and they are not looked at.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else if (latest === undefined) answer();
  else if (!latest.req.complete) {
    // The request itself is broken or late. Answered already, or behind others, it gets no answer.
    if (latest.headersSent || latest.socket === null) socket.destroy();
    else answer();
  } else if (!connection?.isEnding) {
    // An earlier request is being answered: its response goes first.
    announceEnd(latest);
    if (latest.writableFinished) answer();
    else latest.once('finish', answer);
  }
}

function describeRefusal({ code }: NodeJS.ErrnoException): string {
  const problem = describeProblem(refusalOf(code), undefined, false);
  const body = JSON.stringify(problem);
  return [
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

function refusalOf(code: string | undefined): HttpError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError(431, 'The request line and headers are too long.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpError(413, 'The chunk extensions of the body are too long.');
    case REQUEST_TIMEOUT:
      return new HttpError(408, 'The request was not complete in time.');
    default:
      return new HttpError(400, 'The request is not valid HTTP.');
  }
}
