import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { hasServed, isBusy } from './response/connection.js';
import { checkInterval } from './server.js';

/** What a connection had read when it was last looked at, and since when that has been all. */
interface Mark {
  readonly bytesRead: number;
  readonly since: number;
}

/**
 * Ends connections on which no request has begun for a while, until the server is closed.
 *
 * One timer for all connections: a timer for each, as node's `keepAliveTimeout` has it, is set and
 * cleared with every request.
 *
 * @param server - The server that the connections belong to.
 * @param sockets - Its open connections.
 * @param keepAliveTimeout - Milliseconds between two requests; 0 lets them stay.
 */
export function endIdle(
  server: Server,
  sockets: ReadonlySet<Socket>,
  keepAliveTimeout: number,
): void {
  if (keepAliveTimeout === 0) return;
  const marks = new WeakMap<Socket, Mark>();
  const look = (): void => {
    const now = Date.now();
    for (const socket of sockets) {
      const { bytesRead } = socket;
      const mark = marks.get(socket);
      if (!hasServed(socket) || isBusy(socket)) marks.delete(socket);
      else if (mark?.bytesRead !== bytesRead) marks.set(socket, { bytesRead, since: now });
      else if (now - mark.since >= keepAliveTimeout) socket.destroy();
    }
  };
  const timer = setInterval(look, checkInterval(keepAliveTimeout)).unref();
  server.once('close', () => clearInterval(timer));
}
