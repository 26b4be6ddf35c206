import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from './config/config.js';
import type { Log } from './logging/logger.js';
import { ownMetrics } from './metrics/own-metrics.js';
import { type Service, startService } from './service.js';
import { Shutdown } from './shutdown.js';
import { describeStore } from './users/store/open.js';

/**
 * Runs the service in this process until a signal or an uncaught error stops it.
 *
 * @throws As {@link startService}.
 */
export async function serve(config: Config, log: Log): Promise<void> {
  let service: Service | undefined;
  const shutdown = new Shutdown({
    log,
    timeout: config.shutdown.timeout,
    async stop() {
      service?.announceStop();
      if (service !== undefined) await delay(config.shutdown.delay);
      await service?.stop();
    },
  });
  shutdown.onSignals('SIGTERM', 'SIGINT', 'SIGHUP');
  shutdown.onUncaught();
  // Without a listener, the signal would end the process.
  process.on('SIGUSR2', () =>
    log.logger.warn('ignored SIGUSR2: there are no workers to replace because WORKERS is 1'),
  );
  service = await startService(config, log.logger, config.metrics ? ownMetrics() : undefined);
  log.logger.info(`users-api listens on ${service.url}, store ${describeStore(config.store)}`);
}
