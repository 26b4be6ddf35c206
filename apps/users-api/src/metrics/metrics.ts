import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestObserver } from '../middleware/observe-requests.js';

/** What a process measures of itself. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: RequestObserver;
}

/** Seconds: from what a look-up in memory takes to what a client gives up on. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The route of a request that none matched: its path is the client's choice, so it is no label. */
const NO_ROUTE = 'none';

/**
 * Begins to measure the process: memory, processor time, event-loop lag, collections of garbage, and
 * the requests that `requests` is told of.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  });
  let inFlight = 0;
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that are being answered.',
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
