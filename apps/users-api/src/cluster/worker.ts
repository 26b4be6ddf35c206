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
  // Before the first listener below: messages that came earlier go to those that are there with it.
  const metrics = config.metrics ? workerMetrics() : undefined;
  const shutdown = new Shutdown({
    log,
    timeout: config.shutdown.timeout,
    stop: async () => service?.stop(),
  });
  shutdown.onUncaught();
  process.on('message', (message: unknown) => {
    if (!isMessage<PrimaryMessage>(message, ['announce-stop', 'stop-listening', 'stop'])) return;
    if (message.type === 'announce-stop') service?.announceStop();
    if (message.type === 'stop-listening') void stopListening(service);
    if (message.type === 'stop') shutdown.begin(0, 'told by the primary');
  });
  // A terminal and a supervisor may send these to all processes; the primary is the one that decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  service = await startService(config, log.logger, metrics);
  tell({ type: 'ready', url: service.url });
}

async function stopListening(service: Service | undefined): Promise<void> {
  await service?.stopListening();
  tell({ type: 'stopped-listening' });
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
