import { createRouter, type Router } from '@fairlead/core';
import type { Readiness } from './health/readiness.js';

/** Metrics in the Prometheus text format. */
export interface MetricsText {
  /** Value of `Content-Type`. */
  readonly contentType: string;
  /** Collects the current metrics of the whole service. */
  text(): Promise<string>;
}

/** Patterns of the routes that probes and scrapers poll. */
export const OPERATION_ROUTES: ReadonlySet<string> = new Set([
  '/health/live',
  '/health/ready',
  '/metrics',
]);

/**
 * Builds the routes for operators: liveness, readiness and metrics.
 *
 * @param readiness - Backs `/health/ready`.
 * @param metrics - Backs `/metrics`. When omitted, the router has no such route.
 */
export function createOperationRouter(readiness: Readiness, metrics?: MetricsText): Router {
  const router = createRouter()
    .get('/health/live', function live(ctx) {
      ctx.set('Cache-Control', 'no-store');
      ctx.json({ status: 'live' });
    })
    .get('/health/ready', async function ready(ctx) {
      ctx.set('Cache-Control', 'no-store');
      await readiness.check();
      ctx.json({ status: 'ready' });
    });
  if (metrics === undefined) return router;
  return router.get('/metrics', async function showMetrics(ctx) {
    const text = await metrics.text();
    ctx.set('Content-Type', metrics.contentType);
    ctx.set('Cache-Control', 'no-store');
    ctx.send(text);
  });
}
