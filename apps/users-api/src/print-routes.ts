import { describeRoutes, formatRoutes } from '@fairlead/controllers';
import { createUsersApp } from './app.js';
import { MemoryUserStore } from './users/store/memory.js';

// The routes are those of every store; this one leaves nothing behind.
const app = await createUsersApp({
  store: new MemoryUserStore(),
  includeStack: false,
  log: () => {},
  onError: () => {},
});
console.log(formatRoutes(describeRoutes(app)));
await app.close();
