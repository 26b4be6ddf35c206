import type { UsersAppOptions } from '../app.js';
import { createMetrics } from './metrics.js';

/** Starts measuring this process and reports its metrics alone. */
export function ownMetrics(): NonNullable<UsersAppOptions['metrics']> {
  const { registry, requests } = createMetrics();
  return { requests, contentType: registry.contentType, text: () => registry.metrics() };
}
