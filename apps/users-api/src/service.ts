import type { Application } from '@fairlead/core';
import { findTracingProblem, flushTelemetry, openTelemetry } from '@fairlead/opentelemetry';
import type { Lifecycle } from '@fairlead/serve';
import { createUsersApp, type UsersAppOptions } from './app.js';
import type { Config } from './config/config.js';
import { Readiness } from './health/readiness.js';
import type { Logger } from './logging/logger.js';
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
  if (config.tracing) prepareTracing(onClose, logger);
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
    ...(config.tracing && { tracing: openTelemetry({ onWarning: (text) => logger.warn(text) }) }),
    ...(config.requestIdHeader && { requestIdHeader: config.requestIdHeader }),
  });
}

/** Warns when no SDK is registered. Exports the last spans at the end, and warns when they are lost. */
function prepareTracing(onClose: Lifecycle['onClose'], logger: Logger): void {
  const problem = findTracingProblem();
  if (problem !== undefined) logger.warn(`TRACING is on. ${problem} Or set TRACING=off.`);
  onClose(async function exportLastSpans(remaining) {
    try {
      await flushTelemetry(Math.min(EXPORT_TIMEOUT, remaining / 2));
    } catch (err) {
      logger.warn({ err }, 'failed to export the last spans: check the trace receiver');
    }
  });
}
