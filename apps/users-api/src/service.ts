import type { Application } from '@fairlead/core';
import type { Lifecycle } from '@fairlead/serve';
import { createUsersApp, type UsersAppOptions } from './app.js';
import type { Config } from './config/config.js';
import { Readiness } from './health/readiness.js';
import type { Logger } from './logging/logger.js';
import { openTracing } from './tracing/tracing.js';
import { openStore } from './users/store/open.js';

/** Maximum time to export the last spans, in milliseconds. */
const EXPORT_TIMEOUT = 2_000;

/**
 * Opens the store and builds the application.
 *
 * @param lifecycle - Once `stopping` aborts, `/health/ready` responds with 503. `onClose` closes the
 *   store, also when the application cannot be built.
 * @param config - Configuration of the service.
 * @param logger - Logger of the process.
 * @param metrics - Metrics of the process. When omitted, `/metrics` does not exist.
 * @throws {StoreError} When the store cannot be opened.
 * @throws {ControllerError} When a controller cannot be used.
 */
export async function createService(
  { stopping, onClose }: Pick<Lifecycle, 'stopping' | 'onClose'>,
  config: Config,
  logger: Logger,
  metrics?: UsersAppOptions['metrics'],
): Promise<Application> {
  const tracing = config.tracing ? await openTracing(logger) : undefined;
  onClose(function closeTracing(remaining) {
    return tracing?.close(Math.min(EXPORT_TIMEOUT, remaining / 2));
  });
  const store = await openStore(config.store, {
    warn: (err) => logger.warn({ err }, 'the store reported a problem'),
  });
  onClose(function closeStore() {
    return store.close();
  });
  const readiness = new Readiness({ store, logger });
  stopping.addEventListener('abort', () => readiness.stop());
  return createUsersApp({
    store,
    includeStack: config.includeStack,
    checkResponses: config.checkResponses,
    docs: config.docs,
    logger,
    readiness,
    ...(metrics && { metrics }),
    ...(tracing && { tracing: tracing.middleware }),
    ...(config.requestIdHeader && { requestIdHeader: config.requestIdHeader }),
  });
}
