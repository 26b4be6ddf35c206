import { subscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import type { Server } from 'node:net';

/**
 * Loaded into each server's process before the server. It sends the port to the parent process once
 * the server listens, and answers the parent's questions. The server itself only has to listen.
 */

/** The resources that a process uses. */
export interface Usage {
  /** CPU time since the start of the process, in microseconds. */
  readonly cpu: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
  /** Used heap, in bytes. */
  readonly heap: number;
  /** The number of garbage collections so far. Counted only with the flag `--expose-gc`. */
  readonly collections: number;
}

const started = new WeakSet<Server>();

subscribe('tracing:net.server.listen:asyncEnd', (message) => {
  const { server } = message as { server: Server };
  const address = server.address();
  if (started.has(server) || typeof address !== 'object' || address === null) return;
  started.add(server);
  process.send?.(address.port);
  // The parent process kills this one, which would otherwise lose it. Does nothing without a cache.
  flushCompileCache();
});

let collections = 0;
if (globalThis.gc !== undefined) {
  new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  }).observe({ entryTypes: ['gc'] });
}

process.on('message', async () => {
  // Observers are called in a later turn of the event loop.
  if (globalThis.gc !== undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpu: user + system,
    rss: process.memoryUsage.rss(),
    heap: process.memoryUsage().heapUsed,
    collections,
  } satisfies Usage);
});

process.on('disconnect', () => process.exit());
