import { type Server, ServiceUnavailableError } from '@fairlead/core';
import { serve } from '@fairlead/serve';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.js';
import type { Logger } from '../logging/logger.js';
import { createMetrics } from '../metrics/metrics.js';
import { addressOf, processOptions } from '../serve.js';
import { createService } from '../service.js';
import { isMessage, type PrimaryMessage, type WorkerMessage } from './messages.js';

/**
 * Runs the service as one of several workers until its primary stops it. When the primary exits,
 * Node.js ends the worker.
 */
export async function runWorker(config: Config, logger: Logger): Promise<void> {
  let server: Server | undefined;
  // Adds its listener first. Messages that have already arrived are delivered once any listener exists.
  const metrics = config.metrics ? workerMetrics() : undefined;
  // A terminal sends these to all processes. Only the primary acts on them.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const announcement = new AbortController();
  await serve(
    (lifecycle) => {
      process.on('message', (message: unknown) => {
        if (!isMessage<PrimaryMessage>(message, ['announce-stop', 'stop-listening', 'stop']))
          return;
        if (message.type === 'announce-stop') announcement.abort();
        if (message.type === 'stop-listening') void stopListening(server);
        if (message.type === 'stop') lifecycle.stop('requested by the primary');
      });
      const stopping = AbortSignal.any([lifecycle.stopping, announcement.signal]);
      return createService({ ...lifecycle, stopping }, config, logger, metrics);
    },
    {
      ...processOptions(logger),
      ...addressOf(config),
      signals: [],
      deadline: config.shutdown.timeout - config.shutdown.delay,
      onListen(listening) {
        server = listening;
        send({ type: 'ready', url: server.url });
      },
    },
  );
}

async function stopListening(server: Server | undefined): Promise<void> {
  await server?.stopListening();
  send({ type: 'stopped-listening' });
}

/** Measures this worker. The reported metrics are those of all workers, collected by the primary. */
function workerMetrics() {
  const { registry, requests } = createMetrics();
  AggregatorRegistry.setRegistries([registry]);
  // Makes prom-client respond when the primary collects metrics.
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
        send({ type: 'metrics', id });
      });
      if (text !== undefined) return text;
      throw new ServiceUnavailableError('Failed to collect the metrics of all workers.', {
        expose: true,
      });
    },
  };
}

function send(message: WorkerMessage): void {
  // Ignores a primary that has exited: Node.js is about to end this process.
  process.send?.(message, undefined, undefined, () => undefined);
}
