import { type Application, listen, type Server } from '@fairlead/core';
import { findTracingProblem, flushTelemetry } from '@fairlead/opentelemetry';
import type { Lifecycle } from '@fairlead/serve';
import type { Logger } from 'pino';
import { createUsersApp } from './app.js';
import type { Config } from './config.js';
import { openStore } from './users/store/open.js';

/** Maximum time to export the last spans, in milliseconds. */
const EXPORT_TIMEOUT = 2_000;

/**
 * Opens the store and builds the application. Listens for operators if they have their own port.
 *
 * @param lifecycle - Closes all of it, also when the start fails.
 * @throws {StoreError} When the store cannot be opened.
 * @throws {ControllerError} When a controller cannot be used.
 * @throws {ListenError} When `OPERATIONS_PORT` cannot be bound.
 */
export async function createService(
  { stopping, onClose }: Pick<Lifecycle, 'stopping' | 'onClose'>,
  config: Config,
  logger: Logger,
): Promise<Application> {
  let server: Server | undefined;
  // Runs last: operators see the service until everything else is closed.
  onClose(function closeOperations(remaining) {
    return server?.close({ timeout: remaining / 2 });
  });
  if (config.TRACING) {
    const problem = findTracingProblem();
    if (problem !== undefined) logger.warn(`TRACING is on. ${problem} Or set TRACING=off.`);
    onClose(function exportLastSpans(remaining) {
      return flushTelemetry(Math.min(EXPORT_TIMEOUT, remaining / 2)).catch((err) =>
        logger.warn({ err }, 'failed to export the last spans: check the trace receiver'),
      );
    });
  }
  const store = await openStore(config.store, {
    warn: (err) => logger.warn({ err }, 'the store reported a problem'),
  });
  onClose(function closeStore() {
    return store.close();
  });
  const { app, operations } = await createUsersApp({ config, store, logger, stopping });
  if (config.OPERATIONS_PORT !== undefined) {
    server = await listen(operations, config.OPERATIONS_PORT, hostOf(config));
    logger.info(`users-api serves health and metrics on ${server.url}`);
  }
  return app;
}

/** Returns the address that all servers listen on, as an option of `listen`. */
export function hostOf({ HOST }: Config): { host?: string } {
  return HOST === undefined ? {} : { host: HOST };
}
