import { listen } from '@fairlead/core';
import { createUsersApp, type UsersAppOptions } from './app.js';
import { Cleanup } from './cleanup.js';
import type { Config } from './config/config.js';
import { Readiness } from './health/readiness.js';
import type { Logger } from './logging/logger.js';
import { openTracing } from './tracing/tracing.js';
import { openStore } from './users/store/open.js';

/** A running service. */
export interface Service {
  /** Base URL of the service. */
  readonly url: string;
  /** Makes `/health/ready` respond with 503. Everything else keeps working. */
  announceStop(): void;
  /** Stops accepting connections. Open connections stay open. */
  stopListening(): Promise<void>;
  /** Stops listening, waits for open requests, and closes the store. */
  stop(): Promise<void>;
}

/** Share of the shutdown timeout that is reserved for closing the application and the store. */
const CLOSING_SHARE = 0.1;

/** Maximum time to export the last spans, in milliseconds. */
const EXPORT_TIMEOUT = 2_000;

/**
 * Opens the store, builds the application and listens. When it throws, it first closes everything
 * it has opened.
 *
 * @param config - Configuration of the service.
 * @param logger - Logger of the process.
 * @param metrics - Metrics of the process. When omitted, `/metrics` does not exist.
 * @throws {StoreError} When the store cannot be opened.
 * @throws {ControllerError} When a controller cannot be used.
 * @throws {ListenError} When the port cannot be bound.
 */
export async function startService(
  config: Config,
  logger: Logger,
  metrics?: UsersAppOptions['metrics'],
): Promise<Service> {
  const cleanup = new Cleanup();
  // Deadline of the shutdown, as `performance.now()`.
  let stopBy = Number.POSITIVE_INFINITY;
  try {
    const tracing = config.tracing ? await openTracing(logger) : undefined;
    cleanup.add(() => tracing?.close(Math.min(EXPORT_TIMEOUT, (stopBy - performance.now()) / 2)));
    const store = await openStore(config.store, {
      warn: (err) => logger.warn({ err }, 'the store reported a problem'),
    });
    cleanup.add(() => store.close());
    const readiness = new Readiness({ store, logger });
    const app = await createUsersApp({
      store,
      limits: config.limits,
      includeStack: config.includeStack,
      logger,
      readiness,
      ...(metrics && { metrics }),
      ...(tracing && { tracing: tracing.middleware }),
      ...(config.requestIdHeader && { requestIdHeader: config.requestIdHeader }),
    });
    cleanup.add(() => app.close());
    const host = config.host === undefined ? {} : { host: config.host };
    const server = await listen(app, config.port, host);
    return {
      url: server.url,
      announceStop: () => readiness.stop(),
      stopListening: () => server.stopListening(),
      async stop() {
        readiness.stop();
        const timeout = config.shutdown.timeout - config.shutdown.delay;
        stopBy = performance.now() + timeout;
        await server.close({ timeout: timeout * (1 - CLOSING_SHARE) });
        await cleanup.run();
      },
    };
  } catch (error) {
    await cleanup.run().catch((err) => logger.error({ err }, 'failed to clean up'));
    throw error;
  }
}
