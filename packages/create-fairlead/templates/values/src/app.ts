import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
// #if jobs
import type { JobLifecycle } from '@fairlead/jobs';
// #endif
// #if auth
import { jwtGuard } from '@fairlead/jwt/controllers';
// #endif
import { createHealth } from '@fairlead/middleware';
import { overload } from '@fairlead/middleware/overload';
// #if auth
import { Accounts } from './accounts.ts';
// #endif
import { Config } from './config.ts';
// #if !memory
import { DATABASE, OFFLINE, openDatabase } from './database.ts';
// #endif
// #if jobs
import { JOBS, NO_JOBS, startJobs } from './jobs.ts';
// #endif
// #if auth
import { Passwords } from './passwords.ts';
import { Tokens } from './tokens.ts';
// #endif

interface Options {
  readonly config: Config;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
  // #if jobs
  /** Its shutdown stops the jobs. Without it, closing the application does. */
  readonly lifecycle?: JobLifecycle;
  // #endif
}

// #if memory
/** Creates the application. The tests call it, too. */
// #endif
// #if !memory
/** Creates the application. Closing it disposes the container, which closes the database. */
// #endif
export async function createTasksApi(container: Container, options: Options) {
  const { config, stopping } = options;
  // #if !memory
  container.register(DATABASE, { useFactory: () => openDatabase(config, console) });
  const checks = { database: () => container.resolve(DATABASE).check() };
  // #endif
  // #if jobs
  container.register(JOBS, {
    useFactory: (database) => startJobs(database, options),
    inject: [DATABASE],
  });
  // #endif
  // #if auth
  const tokens = new Tokens(config.JWT_SECRET);
  container.register(Tokens, { useValue: tokens });
  container.register(Passwords, { useValue: new Passwords() });
  // #endif
  // #if !auth
  container.register(Config, { useValue: config });
  // #endif
  const router = createRouter();
  // The start fails for a route that says neither who may call it, nor why everyone may.
  const app = createApp({ access: 'declared' });
  // #if memory
  app.route('/', createHealth({ stopping }));
  // #endif
  // #if !memory
  app.route('/', createHealth({ checks, stopping }));
  // #endif
  // Rejects requests that could not be served in time, except probes, which come before it.
  app.use(overload());
  const root = new URL('./controllers/', import.meta.url);
  // #if !auth
  await app.plugin(controllersPlugin({ router, container, root, strict: true }));
  // #endif
  // #if auth
  // Every route of a controller needs a token, unless its metadata contains Public().
  const guards = [jwtGuard(tokens.auth)];
  await app.plugin(controllersPlugin({ router, container, root, strict: true, guards }));
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  if (email && password) await container.resolve(Accounts).create({ email, password }, 'admin');
  // #endif
  // #if jobs
  // Even if no class depends on them.
  await container.resolveAsync(JOBS);
  // #endif
  return app.route('/api', router);
}

/** Creates the application for the command line of Fairlead, which needs neither a database nor secrets. */
export function createOfflineApp() {
  const container = createContainer();
  // #if !memory
  container.override(DATABASE, { useValue: OFFLINE });
  // #endif
  // #if jobs
  container.override(JOBS, { useValue: NO_JOBS });
  // #endif
  const config = new Config({
    // #if auth
    JWT_SECRET: 'offline'.padEnd(32, '-'),
    // #endif
    // #if !auth
    API_KEY: 'offline'.padEnd(32, '-'),
    // #endif
  });
  return createTasksApi(container, { config });
}
