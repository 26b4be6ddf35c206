import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'node:net';
import { connectionOf } from './connection.js';
import type { ServerLimits } from './limits.js';
import { refuseLate } from './refusals.js';

/** Returns the interval at which to check timeouts, in milliseconds. */
export function checkInterval(...timeouts: readonly number[]): number {
  const shortest = Math.min(...timeouts.filter((timeout) => timeout > 0));
  return Math.min(1_000, Math.max(50, shortest / 4));
}

/**
 * Closes connections that exceed a timeout, until the server closes.
 *
 * One timer checks all connections. With a timer per connection, like Node's `keepAliveTimeout`, every
 * request would have to set and clear one.
 */
export function enforceTimeouts(
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
export function checkEvery(interval: number, check: () => void): NodeJS.Timeout {
  return setInterval(() => setImmediate(check), interval);
}
