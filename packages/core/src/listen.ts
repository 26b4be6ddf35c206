import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { acceptWaiting } from './accept-waiting.js';
import type { Application } from './application.js';
import { ListenError } from './errors/listen-error.js';
import { logError } from './handlers/error-handler.js';
import { connectionOf, drain } from './response/connection.js';
import {
  checkInterval,
  completeLimits,
  createServer,
  refuseLate,
  type ServerLimits,
} from './server.js';

/** Where {@link listen} binds, what the server accepts, and how long it waits. */
export interface ListenOptions extends ServerLimits {
  /** Address or name to bind; every interface by default. */
  readonly host?: string;
}

/** How a {@link Server} stops. */
export interface CloseOptions {
  /** Milliseconds after which connections that are still busy are cut; 10,000 by default, `Infinity` for never. */
  readonly timeout?: number;
}

/** An application that listens. */
export interface Server {
  /** Address to call, such as `http://localhost:8080`. */
  readonly url: string;
  /** The port it is bound to, also where 0 was asked for. */
  readonly port: number;
  /**
   * Accepts the connections that wait, and stops listening; open connections go on as before. Calling
   * it again waits for the first call. Needed only where several processes share the port, so that
   * none ends connections, whose clients connect anew, while another one still listens.
   */
  stopListening(): Promise<void>;
  /**
   * Stops listening, answers what is in flight with `Connection: close`, and resolves once every
   * connection has ended. Calling it again returns the same promise; the earliest deadline counts.
   */
  close(options?: CloseOptions): Promise<void>;
}

/** Milliseconds between two looks of a closing server at its connections. */
const LOOK_INTERVAL = 50;

/** Looks in a row that find no request, after which a closing server ends its idle connections. */
const QUIET_LOOKS = 4;

/**
 * Makes an application listen; nothing can be registered on it any more.
 *
 * @param app - The application.
 * @param port - 0 to 65535; 0 takes a free one.
 * @param options - The host to bind, limits and time-outs.
 * @returns The server, once it is bound.
 * @throws {RouteConflictError} When two routers register equivalent patterns for one method.
 * @throws {SetupError} `INVALID_LIMIT`, when a limit is not a whole number from 0 up.
 * @throws {RangeError} When `port` is not an integer from 0 to 65535.
 * @throws {ListenError} When the port cannot be bound; the message names it.
 */
export async function listen(
  app: Application,
  port: number,
  options: ListenOptions = {},
): Promise<Server> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError(`Cannot listen on port ${port}: give an integer from 0 to 65535.`);
  }
  app.seal();
  const limits = completeLimits(options);
  const server = createServer(app.handle, limits);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      reject(new ListenError(port, options.host, cause));
    };
    server.once('error', onError);
    server.listen({ port, host: options.host }, () => {
      server.off('error', onError).on('error', logError);
      resolve();
    });
  });
  enforceTimeouts(server, sockets, limits);
  const address = server.address() as AddressInfo;
  // A server that does not listen any more ends with its last connection.
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  let stopping: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  const stopListening = (): Promise<void> => {
    stopping ??= stop(server);
    return stopping;
  };
  return Object.freeze({
    url: `http://${hostOf(options.host)}:${address.port}`,
    port: address.port,
    stopListening,
    close({ timeout = 10_000 }: CloseOptions = {}) {
      if (!(timeout >= 0)) {
        throw new RangeError(`close() takes a timeout from 0 milliseconds up, not ${timeout}.`);
      }
      const stopped = timeout > 0 ? stopListening() : stopAtOnce(server);
      closing ??= close(server, sockets, stopped, ended);
      void cutAfter(timeout, server, stopped, ended);
      return closing;
    },
  });
}

/**
 * Closes connections that stay idle, and those whose client takes no bytes, until the server is closed.
 *
 * One timer looks at all connections: a timer for each, as node's `keepAliveTimeout` has it, is set
 * and cleared with every request.
 */
function enforceTimeouts(
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
  { keepAliveTimeout, writeTimeout, headersTimeout }: Required<ServerLimits>,
): void {
  if (keepAliveTimeout === 0 && writeTimeout === 0) return;
  // An empty line looks like the start of a request from here, so neither may extend the wait for long.
  const headTimeout = Math.min(headersTimeout || keepAliveTimeout, keepAliveTimeout);
  const look = (): void => {
    const now = performance.now();
    for (const socket of sockets) {
      const connection = connectionOf(socket);
      if (connection?.isStalled(now, writeTimeout)) socket.destroy();
      const idleness = connection?.idleness(now, keepAliveTimeout, headTimeout);
      if (idleness === 'idle') socket.destroy();
      else if (idleness === 'late') refuseLate(socket);
    }
  };
  // A process that was held up reads what clients have sent meanwhile before it looks.
  const looks = setInterval(
    () => setImmediate(look),
    checkInterval(keepAliveTimeout, writeTimeout),
  );
  looks.unref();
  server.once('close', () => clearInterval(looks));
}

async function stop(server: HttpServer): Promise<void> {
  await acceptWaiting(server);
  await stopAtOnce(server);
}

async function stopAtOnce(server: HttpServer): Promise<void> {
  // http's own close() would at once cut connections on which a request may be on its way.
  if (server.listening) NetServer.prototype.close.call(server);
}

async function close(
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
  stopped: Promise<void>,
  ended: Promise<void>,
): Promise<void> {
  await stopped;
  // Only now: a client that is told to connect anew must find the port closed.
  for (const socket of sockets) drain(socket);
  let quietLooks = 0;
  const look = (): void => {
    quietLooks = [...sockets].some((socket) => connectionOf(socket)?.isBusy) ? 0 : quietLooks + 1;
    if (quietLooks < QUIET_LOOKS) return;
    server.closeIdleConnections();
    // node takes a connection on which nothing has come for one in the middle of a request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  // A process that was held up reads what clients have sent meanwhile before it looks.
  const looks = setInterval(() => setImmediate(look), LOOK_INTERVAL);
  await ended;
  clearInterval(looks);
  server.close();
}

/** Cuts the connections that are still open at a deadline. */
async function cutAfter(
  timeout: number,
  server: HttpServer,
  stopped: Promise<void>,
  ended: Promise<void>,
): Promise<void> {
  // A timer takes 24 days at most; what is longer is no deadline.
  if (timeout >= 2 ** 31) return;
  await stopped;
  const deadline = setTimeout(() => server.closeAllConnections(), timeout);
  await ended;
  clearTimeout(deadline);
}

function hostOf(host: string | undefined): string {
  if (host === undefined || host === '::' || host === '0.0.0.0') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
