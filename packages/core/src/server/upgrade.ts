import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { warn } from '@fairlead/options';
import { ServerResponse as NodeResponse } from '../node-http.js';
import { connectionOf, onClose, release } from './connection.js';
import { parseTarget } from './target.js';

/** A connection that leaves HTTP. */
export interface UpgradedConnection {
  /** The connection. No response has been sent: the protocol begins with `101 Switching Protocols`. */
  readonly socket: Duplex;
  /** Bytes that the client has sent after the request. */
  readonly head: Buffer;
}

/** Takes over the connections of handshakes, by the response that would reject them. */
const handshakes = new WeakMap<ServerResponse, () => UpgradedConnection>();

/** Where an application has what tells whether one of its routes opens WebSocket connections for a path. */
export const OPENS: unique symbol = Symbol('opens');

/** Whether a route opens WebSocket connections for a path. */
export type Opens = (path: string) => boolean;

/**
 * Passes WebSocket handshakes to the listeners for `request`, which may take over the connection or send
 * an ordinary response. Every other upgrade request is handled as if it asked for none, and a CONNECT request closes
 * the connection. Releases the connections of servers that have another listener for `upgrade` or `connect`, except
 * for the handshakes of known routes, which only the application gets.
 *
 * @param event - The event that the server emits for a connection that is ready for HTTP.
 * @param opens - Knows the routes that open WebSocket connections.
 * @see RFC 9110 §7.8, RFC 6455 §4.2
 */
export function acceptUpgrades(server: Server, event: string, opens?: Opens): void {
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    if (server.listenerCount('connect') > 1) release(socket);
    else socket.destroy();
  });
  const accept = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    // Node has removed its listener. An error destroys the socket, which closes the response.
    socket.on('error', ignore);
    const connection = connectionOf(socket);
    // Nothing may read from the socket now.
    if (connection !== undefined) connection.isPaused = false;
    const proceed = (): void => {
      if (socket.destroyed || connection?.isEnding) return;
      // Node 26 and later read the body. Until it has arrived, req.socket is not the connection.
      const hasBody = req.readableLength > 0 || socket !== req.socket;
      if (isHandshake(req) || hasBody) dispatch(server, req, socket, head);
      else restart(server, event, req, socket, head);
    };
    const earlier = connection?.latest;
    if (earlier == null || earlier.closed) proceed();
    else onClose(earlier, proceed);
  };
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (server.listenerCount('upgrade') > 1) release(socket);
    else accept(req, socket, head);
  });
  if (opens !== undefined) shareUpgrades(server, opens, accept);
}

/**
 * Keeps the handshakes of known routes from other listeners for `upgrade`, once one is added: they would answer them, too,
 * or end the connection. Listeners cannot stop others.
 */
function shareUpgrades(
  server: Server,
  opens: Opens,
  accept: (req: IncomingMessage, socket: Socket, head: Buffer) => void,
): void {
  const share = (event: string): void => {
    if (event !== 'upgrade') return;
    server.off('newListener', share);
    if (opens(ANY_PATH)) warn('FAIRLEAD_ROUTE', TAKES_ALL);
    const { emit } = server;
    server.emit = (name: string, ...args: unknown[]): boolean => {
      const [req, socket, head] = args as [IncomingMessage, Socket, Buffer];
      if (name !== 'upgrade' || !isHandshake(req) || !opens(parseTarget('GET', `${req.url}`).path))
        return Reflect.apply(emit, server, [name, ...args]);
      accept(req, socket, head);
      return true;
    };
  };
  server.on('newListener', share);
}

/** A path that only a wildcard matches. */
const ANY_PATH = '/~/~/~/~';

const TAKES_ALL =
  'A WebSocket route for all paths leaves no handshake to other listeners for upgrade. Give it another path.';

/** The end of a connection that has failed or closed needs no handling. */
function ignore(): void {}

/**
 * Whether an upgrade request asks for a WebSocket connection, and has no body.
 *
 * @see RFC 6455 §4.1
 */
function isHandshake({ method, httpVersion, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    httpVersion === '1.1' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['transfer-encoding'] === undefined &&
    Number(headers['content-length'] ?? 0) === 0
  );
}

/** Emits `request` for an upgrade request. The connection closes after an ordinary response. */
function dispatch(server: Server, req: IncomingMessage, socket: Socket, head: Buffer): void {
  const res = new NodeResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  // Node has removed these two listeners. Its server, too, ends a connection whose client stops sending.
  const end = (): void => void socket.destroy();
  const drain = (): void => void res.emit('drain');
  socket.once('end', end).on('drain', drain);
  res.once('finish', () => {
    res.detachSocket(socket);
    process.nextTick(() => Object.assign(res, { destroyed: true, _closed: true }).emit('close'));
  });
  if (isHandshake(req)) {
    handshakes.set(res, () => {
      socket.off('end', end).off('drain', drain);
      // Counts what waits to be sent, too. Streams that are not sockets may lack it.
      const { bytesWritten = Number.NaN } = socket;
      closers.set(res, () => {
        if (socket.bytesWritten === bytesWritten) socket.destroy();
      });
      return { socket, head };
    });
  } else delete req.headers.upgrade;
  server.emit('request', req, res);
}

/** Passes a request to Node's parser again, without its `Upgrade` header. */
function restart(
  server: Server,
  event: string,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  if (socket.readableEnded) {
    socket.destroy();
    return;
  }
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[index + 1]}`);
  }
  socket.off('error', ignore);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(event, socket);
}

/**
 * Takes over the connection of a handshake. The response closes when the connection does.
 *
 * @returns Undefined when the request is not a handshake, or was taken over before.
 */
export function takeUpgrade(res: ServerResponse): UpgradedConnection | undefined {
  const take = handshakes.get(res);
  handshakes.delete(res);
  const connection = connectionOf(res.req.socket);
  if (take !== undefined && connection !== undefined) connection.isUpgraded = true;
  return take?.();
}

/** Close the connections that were taken over, unless something was written to them since. */
const closers = new WeakMap<ServerResponse, () => void>();

/** Closes a connection that was taken over by a handler that failed before its 101. Its client would wait forever. */
export function closeUnanswered(res: ServerResponse): void {
  closers.get(res)?.();
}
