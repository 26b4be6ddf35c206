import type { Application } from '@fairlead/core';
import { createUsersApp } from './app.js';
import { Readiness } from './health/readiness.js';
import { createLogger } from './logging/logger.js';
import { MemoryUserStore } from './users/store/memory.js';

/** Builds the service to describe it. It logs nothing, and its store leaves no files behind. */
export function createOfflineApp(): Promise<Application> {
  const store = new MemoryUserStore();
  const logger = createLogger('silent', process.stdout);
  return createUsersApp({
    store,
    includeStack: false,
    checkResponses: false,
    docs: false,
    logger,
    readiness: new Readiness({ store, logger }),
    metrics: { requests: { finished() {} }, contentType: '', text: async () => '' },
  });
}
