import { createRouter, type Router } from '@fairlead/core';
import type { Readiness } from './health/readiness.js';

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  /** Value of `Content-Type`. */
  readonly contentType: string;
  /** Collects the metrics of the whole service. */
  text(): Promise<string>;
}

/** The routes that machines ask for again and again. */
export const OPERATION_ROUTES: ReadonlySet<string> = new Set([
  '/health/live',
  '/health/ready',
  '/metrics',
]);

/**
 * Builds what those who run the service ask: is it alive, can it take requests, what does it measure.
 *
 * @param readiness - Answers for `/health/ready`.
 * @param metrics - Answers for `/metrics`; there is no such route without it.
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
