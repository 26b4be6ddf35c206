import { ServiceUnavailableError } from '@fairlead/core';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.js';
import type { Log } from '../logging/logger.js';
import { createMetrics } from '../metrics/metrics.js';
import { type Service, startService } from '../service.js';
import { Shutdown } from '../shutdown.js';
import { isMessage, type PrimaryMessage, type WorkerMessage } from './messages.js';

/**
 * Runs the service as one of several workers, until its primary tells it to stop. When the primary is
 * gone, node ends the worker.
 *
 * @throws As {@link startService}.
 */
export async function runWorker(config: Config, log: Log): Promise<void> {
  let service: Service | undefined;
  const shutdown = new Shutdown({
    log,
    timeout: config.shutdown.timeout,
    stop: async () => service?.stop(),
  });
  shutdown.onUncaught();
  process.on('message', (message: unknown) => {
    if (isMessage<PrimaryMessage>(message, ['stop'])) shutdown.begin(0, 'told by the primary');
  });
  process.on('SIGTERM', () => shutdown.begin(0, 'SIGTERM'));
  // A terminal sends these to all processes; the primary is the one that decides.
  process.on('SIGINT', () => undefined).on('SIGHUP', () => undefined);
  service = await startService(config, log.logger, config.metrics ? workerMetrics() : undefined);
  tell({ type: 'ready', url: service.url });
}

/** Measures this worker; its text is that of all workers, which the primary collects. */
function workerMetrics() {
  const { registry, requests } = createMetrics();
  AggregatorRegistry.setRegistries([registry]);
  // Makes prom-client answer the primary when it collects.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | undefined) => void>();
  process.on('message', (message: unknown) => {
    if (!isMessage<PrimaryMessage>(message, ['metrics']) || message.type !== 'metrics') return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  let lastId = 0;
  return {
    requests,
    contentType: registry.contentType,
    async text() {
      lastId += 1;
      const id = lastId;
      const text = await new Promise<string | undefined>((resolve) => {
        waiting.set(id, resolve);
        tell({ type: 'metrics', id });
      });
      if (text !== undefined) return text;
      throw new ServiceUnavailableError('The metrics of all workers could not be collected.', {
        expose: true,
      });
    },
  };
}

function tell(message: WorkerMessage): void {
  // A primary that is gone is told nothing: node is about to end this process.
  process.send?.(message, undefined, undefined, () => undefined);
}
