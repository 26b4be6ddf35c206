// Runs the build without a TypeScript loader, like production.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serve } from '@fairlead/serve';
import type { LoopDelay, Reply, Request } from './messages.js';

/** Sampling interval of the event loop delay, in milliseconds. */
const RESOLUTION = 1;

const { readConfig }: typeof import('../src/config.js') = await load('config.js');
const { openLogger }: typeof import('../src/logger.js') = await load('logger.js');
const { createService }: typeof import('../src/service.js') = await load('service.js');

const { store, ...rest } = readConfig(process.env);
const [maxBatch] = process.argv.slice(2).map(Number);
const isLimited = store.kind === 'sqlite' && maxBatch !== undefined;
const config = { ...rest, store: isLimited ? Object.assign(store, { maxBatch }) : store };
const logger = await openLogger(config);
const { HOST: host = 'localhost', PORT: port } = config;
const service = await serve((lifecycle) => createService(lifecycle, config, logger), {
  host,
  port,
  logger,
});

const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
histogram.enable();
process.on('message', (request: Request) => {
  if (request === 'begin') histogram.reset();
  reply(request === 'begin' ? { type: 'began' } : { type: 'delay', delay: readDelay() });
});
process.once('disconnect', () => {
  histogram.disable();
  service.stop();
});
reply({ type: 'listens', url: service.server.url });

function readDelay(): LoopDelay {
  // The histogram records the time between samples, in nanoseconds.
  const delayOf = (time: number) => Math.max(0, time / 1e6 - RESOLUTION);
  return {
    p50: delayOf(histogram.percentile(50)),
    p99: delayOf(histogram.percentile(99)),
    max: delayOf(histogram.max),
  };
}

function reply(message: Reply): void {
  process.send?.(message);
}

function load<T>(path: string): Promise<T> {
  return import(new URL(`../dist/${path}`, import.meta.url).href);
}
