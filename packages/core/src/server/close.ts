import type { Server as HttpServer } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kinds, kind, LONGEST_DELAY } from '@fairlead/options';
import { assertOptions } from '../setup/options.js';
import { connectionOf, type Shutdown } from './connection.js';
import { checkEvery } from './timeouts.js';

/** Options of `server.close()`. */
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

/** Milliseconds between two checks of a closing server's connections. */
const CLOSE_CHECK_INTERVAL = 50;

/** A closing server closes its idle connections after this many consecutive checks without a request. */
const IDLE_CHECKS = 4;

/** Stops listening, unless the server has stopped. Connections continue. */
function closePort(server: HttpServer): void {
  if (!server.listening) return;
  // HttpServer.close() would also close idle connections, on which a request may be in transit. Bun's servers
  // are not net.Servers.
  const { close } = server instanceof NetServer ? NetServer.prototype : server;
  close.call(server);
}

/** The methods that close a server. */
interface CloseMethods {
  stopListening(): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
}

/** Creates the methods that close a server. */
export function createClose(
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
  handshakes: ReadonlyMap<string, Socket>,
  closing: Shutdown,
): CloseMethods {
  // After the server stops listening, it emits 'close' when its last connection closes.
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  let stopping: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
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
      void stopped.then(() => closing.abort());
      closed ??= stopped.then(closeConnections);
      void stopped.then(() => destroyAfter(timeout));
      return closed;
    },
  };
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
