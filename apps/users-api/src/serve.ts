import { serve } from '@fairlead/serve';
import type { Config } from './config/config.js';
import { describeFailure } from './describe-failure.js';
import type { Logger } from './logging/logger.js';
import { ownMetrics } from './metrics/own-metrics.js';
import { createService } from './service.js';
import { describeStore } from './users/store/open.js';

/** Runs the service until a signal or an uncaught error stops it. */
export async function serveUsers(config: Config, logger: Logger): Promise<void> {
  const { port, host, reusePort, shutdown } = config;
  const metrics = config.metrics ? ownMetrics() : undefined;
  await serve((lifecycle) => createService(lifecycle, config, logger, metrics), {
    port,
    ...(host !== undefined && { host }),
    reusePort,
    name: 'users-api',
    logger,
    signals: ['SIGTERM', 'SIGINT', 'SIGHUP'],
    delay: shutdown.delay,
    deadline: shutdown.timeout,
    describeError: describeFailure,
    onUncaught: (err, origin) => logger.fatal({ err }, origin),
    onAbandon(reason) {
      logger.fatal(reason);
      return 1;
    },
    onListen: ({ url }) =>
      logger.info(`users-api listens on ${url}, store ${describeStore(config.store)}`),
  });
}
