import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestObserver } from '../middleware/observe-requests.js';

/** Metrics of a process. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestObserver;
}

/** Bucket boundaries in seconds, from an in-memory lookup to a typical client timeout. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Route label of requests without a route. Their paths are unbounded, so they cannot be labels. */
const NO_ROUTE = 'none';

/**
 * Starts measuring the process (memory, CPU time, event loop lag, garbage collection) and the requests
 * that `requests` observes. Names follow https://prometheus.io/docs/practices/naming/.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  });
  let inFlight = 0;
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Number of requests in progress.',
    registers,
    collect() {
      this.set(inFlight);
    },
  });
  return {
    registry,
    requests: {
      started() {
        inFlight += 1;
      },
      finished({ ctx, status, duration }) {
        inFlight -= 1;
        const { method, pattern: route = NO_ROUTE } = ctx;
        durations.observe({ method, route, status }, duration / 1_000);
      },
    },
  };
}
