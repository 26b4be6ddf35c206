import type { Server as HttpServer, RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import {
  anything,
  boolean,
  captureCaller,
  describeValue,
  findOptionProblems,
  formatLocation,
  hasMethods,
  integer,
  isIntended,
  type Kinds,
  locatorOf,
  nonEmptyString,
  warn,
} from '@fairlead/options';
import { isPromiseLike } from '../promise.js';
import { throwTogether } from '../setup/options.js';
import { explainOtherCopy } from '../setup/package-copies.js';
import { ListenError } from '../setup/setup-error.js';
import { type CloseOptions, createClose } from './close.js';
import { Shutdown } from './connection.js';
import { connectionEvent, createServer } from './create-server.js';
import { completeLimits, describeTimeouts, SERVER_LIMITS, type ServerLimits } from './limits.js';
import { listening } from './listening.js';
import { enforceTimeouts } from './timeouts.js';
import { findTlsProblems } from './tls.js';
import { OPENS } from './upgrade.js';

/** What {@link listen} serves: an application from `createApp()`. */
export interface Listenable {
  /** Ends the registrations. Throws when there are problems. */
  seal(): void;
  /** Handles the requests. */
  readonly handle: RequestListener;
  /** @internal */
  [OPENS]?(path: string): boolean;
}

/** Options of {@link listen}: the host, TLS, limits and timeouts. */
export interface ListenOptions extends ServerLimits {
  /** Address or host name to bind; all interfaces by default. */
  readonly host?: string;
  /**
   * Serves HTTPS with these options of node:tls, such as `{ key, cert }`. A handshake may take as long as
   * `headersTimeout`, unless you pass `handshakeTimeout`.
   */
  readonly tls?: TlsOptions;
  /**
   * Whether other processes may listen on the same port. The operating system then distributes connections
   * among them. False by default. Requires Linux, FreeBSD or another system that supports it.
   */
  readonly reusePort?: boolean;
  /**
   * Maximum number of open connections, upgraded ones included: 1 or more; unlimited by default. The server
   * closes further connections immediately.
   */
  readonly maxConnections?: number;
}

const LISTEN_OPTIONS: Kinds<ListenOptions> = {
  ...SERVER_LIMITS,
  host: nonEmptyString,
  // findTlsProblems() checks it.
  tls: anything,
  reusePort: boolean,
  maxConnections: integer(1),
};

/** A listening application. */
export interface Server {
  /** Base URL, such as `http://localhost:8080`; `https:` with `tls`. */
  readonly url: string;
  /** The port that the server listens on, even if you passed 0. */
  readonly port: number;
  /**
   * The node:http server, or the node:https server with `tls`, to attach a library to. Close it with
   * {@link close}. With a listener for `upgrade`, the application receives only the WebSocket handshakes of its routes
   * with the role `websocket`.
   */
  readonly node: HttpServer;
  /**
   * Aborts when {@link close} starts closing connections. End long-lived connections then, such as
   * WebSockets, because `close` waits for them. In a handler, use `ctx.closing`.
   */
  readonly closing: AbortSignal;
  /**
   * Accepts pending connections and stops listening. Open connections continue. Further calls wait
   * for the first one.
   *
   * You need this only when several processes share the port. Stop listening in all of them before
   * you close one, because the clients of a closed connection reconnect.
   */
  stopListening(): Promise<void>;
  /**
   * Stops listening, aborts {@link closing}, responds to open requests with `Connection: close`, and
   * resolves when every connection has closed, upgraded ones included. Further calls return the same
   * promise. The earliest deadline applies.
   *
   * @throws {SetupError} `INVALID_OPTION`, synchronously, when an option is unknown or invalid.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Seals an application and starts serving it.
 *
 * @param app - The application.
 * @param port - 0 to 65535; 0 selects a free port.
 * @param options - The host to bind, TLS, limits and timeouts.
 * @returns The server, once its port is bound.
 * @throws {RouteConflictError} When two routers register equivalent patterns for one method.
 * @throws {SetupError} `INVALID_OPTION`, when an argument or an option is unknown or invalid, or Node.js rejects
 *   the `tls` options.
 * @throws {ListenError} When the port cannot be bound.
 */
export async function listen(
  app: Listenable,
  port: number,
  options: ListenOptions = {},
): Promise<Server> {
  throwTogether([
    ...findArgumentProblems(app, port),
    ...findOptionProblems('listen()', options, LISTEN_OPTIONS),
    ...findTlsProblems(options?.tls),
  ]);
  const { host, tls, reusePort = false, maxConnections } = options;
  app.seal();
  const limits = completeLimits(options);
  if (!isIntended(options)) {
    const locate = locatorOf(options) ?? captureCaller(listen);
    for (const message of describeTimeouts(options))
      warn('FAIRLEAD_OPTION', message + formatLocation(locate));
  }
  const closing = new Shutdown();
  const opens = (path: string) => app[OPENS]?.(path) ?? false;
  const server = createServer(app.handle, limits, tls, closing, opens);
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  const sockets = trackSockets(server, connectionEvent(tls));
  const handshakes = tls === undefined ? new Map<string, Socket>() : trackHandshakes(server);
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => reject(new ListenError(port, host, cause));
    server.once('error', onError);
    server.listen({ port, host, reusePort }, () => {
      server.off('error', onError).on('error', (error) => console.error(error));
      resolve();
    });
  });
  listening.add(app);
  server.once('close', () => listening.delete(app));
  enforceTimeouts(server, sockets, limits);
  const address = server.address() as AddressInfo;
  return Object.freeze({
    url: `${tls === undefined ? 'http' : 'https'}://${hostOf(host)}:${address.port}`,
    port: address.port,
    node: server,
    closing: closing.signal,
    ...createClose(server, sockets, handshakes, closing),
  });
}

function findArgumentProblems(app: unknown, port: unknown): readonly string[] {
  const fix = fixForApplication(app);
  const problems =
    fix === undefined ? [] : [`listen() cannot use ${describeValue(app)} as app. ${fix}`];
  if (PORT.accepts(port)) return problems;
  const isNumeric = typeof port === 'string' && PORT.accepts(Number(port)) && port.trim() !== '';
  const hint = isNumeric ? ' Convert it with Number().' : '';
  problems.push(`port of listen() must be ${PORT.description}: got ${describeValue(port)}.${hint}`);
  return problems;
}

function fixForApplication(app: unknown): string | undefined {
  const otherCopy = explainOtherCopy(app);
  if (otherCopy !== undefined || hasMethods('seal', 'handle')(app)) return otherCopy;
  return isPromiseLike(app) ? 'Await it.' : 'Pass an application from createApp().';
}

const PORT = integer(0, 65_535);

/** Returns the sockets of open connections, upgraded ones included. */
function trackSockets(server: HttpServer, event: string): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on(event, (socket: Socket) => {
    // A connection is announced again after a request that asked for an upgrade.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Returns the sockets whose TLS handshake is not complete, by the addresses of both ends. */
function trackHandshakes(server: HttpServer): ReadonlyMap<string, Socket> {
  const handshakes = new Map<string, Socket>();
  // The event 'secureConnection' has another socket for the same connection.
  const peerOf = ({ remoteAddress, remotePort, localAddress }: Socket) =>
    `${remoteAddress} ${remotePort} ${localAddress}`;
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    handshakes.set(peer, socket);
    socket.once('close', () => {
      if (handshakes.get(peer) === socket) handshakes.delete(peer);
    });
  });
  server.on('secureConnection', (socket: Socket) => handshakes.delete(peerOf(socket)));
  return handshakes;
}

function hostOf(host: string | undefined): string {
  if (host === undefined || host === '::' || host === '0.0.0.0') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
