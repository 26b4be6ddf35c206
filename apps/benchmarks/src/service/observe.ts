import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Logs with the fastest settings of pino's own destination. Up to 16 MiB wait for a slow reader. */
export const logger = pino(
  { formatters: { level: (label) => ({ level: label }) } },
  pino.destination({ dest: 1, sync: false, maxWrite: 4_096, maxLength: 16 * 1_048_576 }),
);

export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const durations = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the request headers to the end of the response.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [registry],
});

let inFlight = 0;
new Gauge({
  name: 'http_requests_in_flight',
  help: 'Number of requests in progress.',
  registers: [registry],
  collect() {
    this.set(inFlight);
  },
});

/** Routes that probes and scrapers poll. */
const QUIET = new Set(['/health/live', '/health/ready', '/metrics']);

/** Whether Fastify logs as it does by default: two lines per request, each written at once. */
const USES_OWN_LOG = process.env.LOG === 'fastify';

/** Options of Fastify that both services use. */
export const SERVER_OPTIONS = {
  logger: USES_OWN_LOG,
  genReqId: () => randomUUID(),
  // Requests without a body then cost less on Node 24. `FastifyServerOptions` has no type for it.
  http: { optimizeEmptyRequests: true } as object,
};

/** Gives each request an id, and logs and measures it once its connection is done with it. */
export function observe(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const start = performance.now();
    inFlight += 1;
    reply.header('X-Request-Id', request.id);
    // Unlike the hook `onResponse`, this also runs when the client disconnects.
    reply.raw.once('close', () => {
      const duration = performance.now() - start;
      inFlight -= 1;
      const { method, url } = request;
      const route = request.routeOptions.url;
      const { statusCode, headersSent, writableFinished } = reply.raw;
      const status = headersSent ? statusCode : 499;
      durations.observe({ method, route: route ?? 'none', status }, duration / 1_000);
      const level = status >= 500 ? 'error' : QUIET.has(route ?? '') ? 'debug' : 'info';
      if (USES_OWN_LOG || !logger.isLevelEnabled(level)) return;
      const query = url.indexOf('?');
      const line = {
        method,
        path: query === -1 ? url : url.slice(0, query),
        route,
        status,
        duration: Math.round(duration * 1_000) / 1_000,
        requestId: request.id,
      };
      logger[level](writableFinished ? line : { ...line, aborted: true }, 'request');
    });
    done();
  });
}

/** Stops a service at SIGTERM and SIGINT, once its open requests have been answered. */
export function closeOnSignal(close: () => Promise<unknown>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, close);
}
