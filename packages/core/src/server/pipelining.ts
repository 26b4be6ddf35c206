import { AsyncResource } from 'node:async_hooks';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CONNECTION, type Connection, type Tracked } from './connection.js';

/** Maximum number of requests that run at a time on one connection. */
const MAX_RUNNING = 10;

/**
 * The number of waiting requests at which reading stops. Below it, reading continues, because only a read
 * reveals that the client has disconnected.
 */
const PAUSE_AT = 100;

/**
 * Creates a listener that runs requests, immediately or after earlier requests of their connection. It ignores a
 * request if a response has already announced the end of the connection.
 *
 * @see RFC 9112 §9.3.2 (pipelining), §9.6 (the end of a connection)
 */
export function admit(run: RequestListener): RequestListener {
  return (req, res) => {
    const connection = (req.socket as Tracked)[CONNECTION];
    if (connection === undefined) {
      run(req, res);
      return;
    }
    if (connection.isEnding) {
      connection.pause();
      return;
    }
    // Node.js reads nothing after such a request, but would keep the connection if the response has another
    // `Connection` header.
    if (!res.shouldKeepAlive) endAfter(res, req.socket);
    const { latest } = connection;
    connection.latest = res;
    res.on('close', forget);
    if (connection.running === 0) {
      const isAlone = latest == null || latest.closed;
      // Most clients wait for each response. Nobody then needs to know when one has been sent.
      if (isAlone && !LEAVES_BODIES) {
        run(req, res);
        return;
      }
      if (!isAlone) count(latest, connection);
    }
    const start = (): void => {
      count(res, connection);
      run(req, res);
    };
    if (connection.running < MAX_RUNNING) {
      start();
      return;
    }
    // Another request starts it. Its asynchronous context may belong to that one's trace.
    connection.waiting.push({ res, run: AsyncResource.bind(start) });
    if (connection.waiting.length >= PAUSE_AT) connection.pause();
  };
}

/** One listener for all responses, because creating a function for each would cost more than calling it. */
function forget(this: ServerResponse): void {
  (this.req.socket as Tracked | null)?.[CONNECTION]?.forget(this);
}

/** Ends a connection when a response has been sent. */
function endAfter(res: ServerResponse, socket: Socket): void {
  res.once('finish', () => {
    // A connection in memory has no destroySoon().
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  });
}

/** Runs as many waiting requests as allowed. Resumes reading when none is left. */
function runWaiting(connection: Connection): void {
  const { socket, waiting } = connection;
  if (socket.destroyed) waiting.length = 0;
  while (connection.running < MAX_RUNNING && waiting.length > 0) waiting.shift()?.run();
  connection.resume();
}

/** Deno keeps a body that nobody reads, and then never reads the next request. Node has discarded it. */
const LEAVES_BODIES = 'deno' in process.versions;

/** Counts a response as running until it closes. */
function count(res: ServerResponse, connection: Connection): void {
  connection.running += 1;
  res.on('close', () => {
    const { req } = res;
    const isUnread = !req.complete && req.readableFlowing === null;
    if (res.writableFinished && isUnread) req.resume();
    connection.running -= 1;
    if (connection.waiting.length > 0) runWaiting(connection);
  });
}
