import { describeRoutes, formatRoutes } from '@fairlead/controllers';
import { createUsersApp } from './app.js';
import { Readiness } from './health/readiness.js';
import { createLogger } from './logging/logger.js';
import { MemoryUserStore } from './users/store/memory.js';

// The routes do not depend on the store. This one leaves no files behind.
const store = new MemoryUserStore();
const logger = createLogger('silent', process.stdout);
const app = await createUsersApp({
  store,
  includeStack: false,
  checkResponses: false,
  logger,
  readiness: new Readiness({ store, logger }),
  metrics: { requests: { finished() {} }, contentType: '', text: async () => '' },
});
console.log(formatRoutes(describeRoutes(app)));
await app.close();
