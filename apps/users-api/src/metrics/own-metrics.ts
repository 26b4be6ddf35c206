import type { UsersAppOptions } from '../app.js';
import { createMetrics } from './metrics.js';

/** Begins to measure this process, and answers for it alone. */
export function ownMetrics(): NonNullable<UsersAppOptions['metrics']> {
  const { registry, requests } = createMetrics();
  return { requests, contentType: registry.contentType, text: () => registry.metrics() };
}
