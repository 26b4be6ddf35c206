import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HttpError, titleOf } from '../errors/http-error.js';
import { describeProblem } from '../errors/problem.js';
import { announceEnd, connectionOf } from './connection.js';

export const EXPECTATION_FAILED = new HttpError(
  417,
  "The server does not support this expectation. Send 'Expect: 100-continue' or no Expect header.",
);

/** Refuses a request before it reaches the application, and closes the connection. */
export function refuse(res: ServerResponse, error: HttpError): void {
  const { body, headers } = describeRefusal(error);
  announceEnd(res, connectionOf(res.req.socket));
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
export function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const connection = connectionOf(socket);
  const latest = connection?.latest;
  const [status, message] = REFUSALS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.'];
  const respond = () => {
    socket.end(formatRefusal(new HttpError(status, message)));
    // If bytes are unread, closing immediately would reset the connection, and the client might lose the response.
    setTimeout(() => socket.destroy(), LINGER).unref();
  };
  // Bytes after the last request of the connection: its response closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return;
  // If the socket is not tracked, its TLS handshake has failed.
  if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else if (latest == null) {
    if (!connection.isEnding) respond();
  } else if (!latest.req.complete) {
    // The latest request is itself invalid or late. If its response has started, or earlier responses
    // are pending, the refusal cannot be sent.
    if (latest.headersSent || latest.socket === null) socket.destroy();
    else {
      // The client has closed its side, and is probably gone.
      if (error.code !== 'HPE_INVALID_EOF_STATE') refused.set(latest, status);
      respond();
    }
  } else if (!connection.isEnding) {
    // The response to an earlier request goes first.
    announceEnd(latest, connection);
    if (latest.writableFinished) respond();
    else latest.once('finish', respond);
  }
}

/** The statuses that clients have received in place of responses, because their requests turned out to be invalid or late. */
const refused = new WeakMap<ServerResponse, number>();

/** Returns the status that a client has received in place of a response. */
export function refusalOf(res: ServerResponse): number | undefined {
  return refused.get(res);
}

/** Formats a refusal as an HTTP/1.1 response. */
function formatRefusal(error: HttpError): string {
  const { body, headers } = describeRefusal(error);
  return [
    `HTTP/1.1 ${error.status} ${titleOf(error.status)}`,
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
