import { listen } from '@fairlead/core';
import { createUsersApp, type UsersAppOptions } from './app.js';
import { Cleanup } from './cleanup.js';
import type { Config } from './config/config.js';
import { Readiness } from './health/readiness.js';
import type { Logger } from './logging/logger.js';
import { openTracing } from './tracing/tracing.js';
import { openStore } from './users/store/open.js';

/** A service that listens. */
export interface Service {
  /** Address to call. */
  readonly url: string;
  /** Turns `/health/ready` to 503; all else goes on. */
  announceStop(): void;
  /** Stops listening; open connections go on. */
  stopListening(): Promise<void>;
  /** Stops listening, answers what is in flight, and closes the store. */
  stop(): Promise<void>;
}

/** Which part of the time to stop is kept for closing what the requests used. */
const CLOSING_SHARE = 0.1;

/** Longest wait for a receiver of traces to take the last spans, in milliseconds. */
const EXPORT_TIMEOUT = 2_000;

/**
 * Opens the store and listens.
 *
 * @param config - Where, and with what.
 * @param logger - Log of the process.
 * @param metrics - Measurements of the process, if there are any.
 * @throws {StoreError} When the store cannot be opened.
 * @throws {ListenError} When the port cannot be bound. Whatever is thrown, nothing is left open.
 */
export async function startService(
  config: Config,
  logger: Logger,
  metrics?: UsersAppOptions['metrics'],
): Promise<Service> {
  const cleanup = new Cleanup();
  // When the process has to have ended, on the clock of `performance`.
  let stopBy = Number.POSITIVE_INFINITY;
  try {
    const tracing = config.tracing ? await openTracing(logger) : undefined;
    cleanup.add(() => tracing?.close(Math.min(EXPORT_TIMEOUT, (stopBy - performance.now()) / 2)));
    const store = await openStore(config.store, {
      warn: (err) => logger.warn({ err }, 'the store reports a problem'),
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
