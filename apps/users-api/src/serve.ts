import { type ProcessOptions, serve } from '@fairlead/serve';
import type { Config } from './config/config.js';
import { describeFailure } from './describe-failure.js';
import type { Logger } from './logging/logger.js';
import { ownMetrics } from './metrics/own-metrics.js';
import { createService } from './service.js';
import { describeStore } from './users/store/open.js';

/** Runs the service in this process until a signal or an uncaught error stops it. */
export async function serveAlone(config: Config, logger: Logger): Promise<void> {
  // Without a listener, the signal would end the process.
  process.on('SIGUSR2', () =>
    logger.warn('ignored SIGUSR2: there are no workers to replace because WORKERS is 1'),
  );
  const metrics = config.metrics ? ownMetrics() : undefined;
  await serve((lifecycle) => createService(lifecycle, config, logger, metrics), {
    ...processOptions(logger),
    ...addressOf(config),
    delay: config.shutdown.delay,
    deadline: config.shutdown.timeout,
    onListen: ({ url }) =>
      logger.info(`users-api listens on ${url}, store ${describeStore(config.store)}`),
  });
}

/** Returns the port and the host to listen on. */
export function addressOf({ port, host }: Config): { port: number; host?: string } {
  return host === undefined ? { port } : { port, host };
}

/** Returns the options that all processes of the service share. */
export function processOptions(logger: Logger): ProcessOptions {
  return {
    name: 'users-api',
    logger,
    signals: ['SIGTERM', 'SIGINT', 'SIGHUP'],
    describeError: describeFailure,
    onUncaught: (err, origin) => logger.fatal({ err }, origin),
    onAbandon(reason) {
      logger.fatal(reason);
      return 1;
    },
  };
}
