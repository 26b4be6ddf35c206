import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServerResponse as NodeResponse } from '../node-http.js';
import { connectionOf, onClose, releaseUpgraded } from './connection.js';

/** A connection that leaves HTTP. */
export interface UpgradedConnection {
  /** The connection. No response has been sent: the protocol begins with `101 Switching Protocols`. */
  readonly socket: Duplex;
  /** Bytes that the client has sent after the request. */
  readonly head: Buffer;
}

/** A handshake that nothing has taken over. */
interface Handshake extends UpgradedConnection {
  /** Removes the listeners that the response needs. */
  readonly release: () => void;
}

const handshakes = new WeakMap<ServerResponse, Handshake>();

/**
 * Passes WebSocket handshakes to the listeners for `request`, which may take over the connection or send
 * an ordinary response. Every other upgrade request is handled as if it asked for none. Does nothing while
 * the server has another listener for `upgrade`.
 *
 * @param event - The event that the server emits for a connection that is ready for HTTP.
 * @see RFC 9110 §7.8, RFC 6455 §4.2
 */
export function acceptUpgrades(server: Server, event: string): void {
  server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
    if (server.listenerCount('upgrade') > 1) {
      releaseUpgraded(socket);
      return;
    }
    // Node has removed its listener. An error destroys the socket, which closes the response.
    socket.on('error', ignore);
    afterEarlierResponses(socket, () => {
      // Node 26 and later read the body. Until it has arrived, req.socket is not the connection.
      const hasBody = req.readableLength > 0 || socket !== req.socket;
      if (isHandshake(req) || hasBody) dispatch(server, req, socket, head);
      else restart(server, event, req, socket, head);
    });
  });
}

/** The end of a connection that has failed or closed needs no handling. */
function ignore(): void {}

/** Calls a function once the earlier responses of a connection are sent, unless the connection ends. */
function afterEarlierResponses(socket: Socket, proceed: () => void): void {
  const connection = connectionOf(socket);
  const latest = connection?.latest;
  // Nothing may read from the socket now.
  if (connection !== undefined) connection.isPaused = false;
  const proceedIfOpen = (): void => {
    if (!socket.destroyed && !connection?.isEnding) proceed();
  };
  if (latest == null || latest.closed) proceedIfOpen();
  else onClose(latest, proceedIfOpen);
}

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
  const release = (): void => void socket.off('end', end).off('drain', drain);
  res.once('finish', () => {
    res.detachSocket(socket);
    process.nextTick(() => Object.assign(res, { destroyed: true, _closed: true }).emit('close'));
    // A connection in memory has no destroySoon().
    if (typeof socket.destroySoon === 'function') socket.destroySoon();
    else socket.end();
  });
  if (isHandshake(req)) handshakes.set(res, { socket, head, release });
  else delete req.headers.upgrade;
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
  const handshake = handshakes.get(res);
  if (handshake === undefined) return undefined;
  handshakes.delete(res);
  const { socket, head, release } = handshake;
  release();
  const connection = connectionOf(res.req.socket);
  if (connection !== undefined) connection.isUpgraded = true;
  return { socket, head };
}
