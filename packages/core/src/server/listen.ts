import type { Server as HttpServer, RequestListener } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import {
  anything,
  boolean,
  describeValue,
  findOptionProblems,
  hasMethods,
  integer,
  type Kinds,
  kind,
  LONGEST_DELAY,
  nonEmptyString,
} from '@fairlead/options';
import { isPromiseLike } from '../promise.js';
import { assertOptions, throwTogether } from '../setup/options.js';
import { explainOtherCopy } from '../setup/package-copies.js';
import { ListenError } from '../setup/setup-error.js';
import { connectionOf } from './connection.js';
import {
  checkInterval,
  completeLimits,
  connectionEvent,
  createServer,
  findTlsProblems,
  refuseLate,
  SERVER_LIMITS,
  type ServerLimits,
} from './limits.js';

/** What {@link listen} serves: an application from `createApp()`. */
export interface Listenable {
  /** Ends the registrations. Throws when there are problems. */
  seal(): void;
  /** Handles the requests. */
  readonly handle: RequestListener;
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

/** Options of {@link Server.close}. */
export interface CloseOptions {
  /** Milliseconds until busy connections are destroyed; 10,000 by default. With `Infinity`, never. */
  readonly timeout?: number;
}

const CLOSE_OPTIONS: Kinds<CloseOptions> = {
  timeout: kind(
    '0 or more milliseconds, or Infinity',
    (value) => Number(value) >= 0 && typeof value === 'number',
  ),
};

/** A listening application. */
export interface Server {
  /** Base URL, such as `http://localhost:8080`; `https:` with `tls`. */
  readonly url: string;
  /** The port that the server listens on, even if you passed 0. */
  readonly port: number;
  /**
   * The node:http server, or the node:https server with `tls`, to attach a library to. Close it with
   * {@link close}. With a listener for `upgrade`, the application receives no WebSocket handshakes.
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

/** Milliseconds between two checks of a closing server's connections. */
const CLOSE_CHECK_INTERVAL = 50;

/** A closing server closes its idle connections after this many consecutive checks without a request. */
const IDLE_CHECKS = 4;

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
  const controller = new AbortController();
  const server = createServer(app.handle, limits, tls, controller.signal);
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
    closing: controller.signal,
    ...createClose(server, sockets, handshakes, controller),
  });
}

/** The applications that {@link listen} serves. */
const listening = new WeakSet<object>();

/** Whether {@link listen} serves an application. */
export function isListening(app: object): boolean {
  return listening.has(app);
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

/**
 * Closes connections that exceed a timeout, until the server closes.
 *
 * One timer checks all connections. With a timer per connection, like Node's `keepAliveTimeout`, every
 * request would have to set and clear one.
 */
function enforceTimeouts(
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
  limits: Required<ServerLimits>,
): void {
  const { headersTimeout, keepAliveTimeout, writeTimeout, requestTimeout } = limits;
  // Empty lines look like the start of a request. They must not extend the idle time for long.
  const headTimeout = Math.min(headersTimeout || keepAliveTimeout, keepAliveTimeout);
  const timeouts = { ...limits, headersTimeout: headTimeout };
  const check = (): void => {
    const now = performance.now();
    for (const socket of sockets) {
      const exceeded = connectionOf(socket)?.findTimeout(now, timeouts);
      if (exceeded === 'headersTimeout') refuseLate(socket);
      else if (exceeded !== undefined) socket.destroy();
    }
  };
  const interval = checkInterval(keepAliveTimeout, writeTimeout, requestTimeout);
  const checks = checkEvery(interval, check).unref();
  server.once('close', () => clearInterval(checks));
}

/** After a blocked event loop, `setImmediate` lets the process read pending data before the check. */
function checkEvery(interval: number, check: () => void): NodeJS.Timeout {
  return setInterval(() => setImmediate(check), interval);
}

/** Stops listening, unless the server has stopped. Connections continue. */
function closePort(server: HttpServer): void {
  if (!server.listening) return;
  // HttpServer.close() would also close idle connections, on which a request may be in transit. Bun's servers
  // are not net.Servers.
  const { close } = server instanceof NetServer ? NetServer.prototype : server;
  close.call(server);
}

/** Creates the methods that close a server. */
function createClose(
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
  handshakes: ReadonlyMap<string, Socket>,
  controller: AbortController,
): Pick<Server, 'stopListening' | 'close'> {
  // After the server stops listening, it emits 'close' when its last connection closes.
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  let stopping: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  const stopListening = (): Promise<void> => {
    stopping ??= acceptPending(server).then(() => closePort(server));
    return stopping;
  };
  const closeConnections = async (): Promise<void> => {
    let idleChecks = 0;
    const checks = checkEvery(CLOSE_CHECK_INTERVAL, () => {
      idleChecks = [...sockets].some((socket) => connectionOf(socket)?.isBusy) ? 0 : idleChecks + 1;
      if (idleChecks < IDLE_CHECKS) return;
      server.closeIdleConnections();
      // Node.js does not count a connection as idle before its first byte.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      for (const socket of handshakes.values()) socket.destroy();
    });
    await ended;
    clearInterval(checks);
    server.close();
  };
  const destroyAfter = async (timeout: number): Promise<void> => {
    // setTimeout supports at most 24 days. Longer timeouts, such as Infinity, never expire.
    if (timeout > LONGEST_DELAY) return;
    const deadline = setTimeout(() => {
      for (const socket of [...sockets, ...handshakes.values()]) socket.destroy();
    }, timeout);
    await ended;
    clearTimeout(deadline);
  };
  return {
    stopListening,
    close(options: CloseOptions = {}) {
      assertOptions('server.close()', options, CLOSE_OPTIONS);
      const { timeout = 10_000 } = options;
      if (timeout === 0) closePort(server);
      const stopped = timeout === 0 ? Promise.resolve() : stopListening();
      // The port is closed by now, so clients that reconnect reach another process.
      void stopped.then(() => controller.abort());
      closing ??= stopped.then(closeConnections);
      void stopped.then(() => destroyAfter(timeout));
      return closing;
    },
  };
}

function hostOf(host: string | undefined): string {
  if (host === undefined || host === '::' || host === '0.0.0.0') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The number of pending connections that the system queues; Node's default. */
const BACKLOG = 511;

/**
 * Accepts the connections in the system's queue, but no more than it holds. Their clients consider them open and may
 * have sent requests, but the system resets them when the server stops listening.
 */
async function acceptPending(server: NetServer): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (let before = -1; before < accepted && accepted < BACKLOG; ) {
    before = accepted;
    // Between two turns, the event loop accepts at least one pending connection.
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', count);
}
