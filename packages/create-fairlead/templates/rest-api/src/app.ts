import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
// #if jobs
import type { JobLifecycle } from '@fairlead/jobs';
// #endif
// #if auth
import { jwtGuard } from '@fairlead/jwt/controllers';
// #endif
import { createHealth, requestId } from '@fairlead/middleware';
import { overload } from '@fairlead/middleware/overload';
import { openapi } from '@fairlead/openapi';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
// #if auth
import { Accounts } from './accounts.js';
// #endif
import { Config } from './config.js';
import { DATABASE, OFFLINE, openDatabase } from './database.js';
// #if jobs
import { JOBS, NO_JOBS, startJobs } from './jobs.js';
// #endif
// #if auth
import { Passwords } from './passwords.js';
import { Tokens } from './tokens.js';
// #endif

interface Options {
  readonly config: Config;
  readonly logger: Logger;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
  // #if jobs
  /** Its shutdown stops the jobs. Without it, closing the application does. */
  readonly lifecycle?: JobLifecycle;
  // #endif
}

/** Creates the application. Closing it disposes the container, which closes the database. */
export async function createTasksApi(container: Container, options: Options) {
  const { config, logger, stopping } = options;
  container.register(DATABASE, { useFactory: () => openDatabase(config, logger) });
  // #if jobs
  const onError = (err: unknown) => logger.error({ err }, 'Jobs failed.');
  container.register(JOBS, {
    useFactory: (database) => startJobs(database, { ...options, onError }),
    inject: [DATABASE],
  });
  // #endif
  // #if auth
  const tokens = new Tokens(config.JWT_SECRET);
  container.register(Tokens, { useValue: tokens });
  container.register(Passwords, { useValue: new Passwords() });
  // #endif
  const checks = { database: () => container.resolve(DATABASE).check() };
  const router = createRouter();
  const app = createApp({ access: 'declared', onError: logErrors(logger) })
    .use(logRequests(logger), requestId())
    .route('/', createHealth({ checks, stopping, logger }))
    // Rejects requests that could not be served in time, except probes, which come before it.
    .use(overload());
  const title = '{{name}}';
  const info = { title, version: '1.0.0' };
  await app.plugin(openapi({ info, public: 'Developers of clients read it.' }));
  const root = new URL('./controllers/', import.meta.url);
  // #if !auth
  await app.plugin(controllersPlugin({ router, container, root, strict: true, logger }));
  // #endif
  // #if auth
  // Every route of a controller needs a token, unless it is @Public().
  const guards = [jwtGuard(tokens.auth)];
  await app.plugin(controllersPlugin({ router, container, root, strict: true, logger, guards }));
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
  const container = createContainer().override(DATABASE, { useValue: OFFLINE });
  // #if jobs
  container.override(JOBS, { useValue: NO_JOBS });
  // #endif
  const config = new Config({
    LOG_LEVEL: 'silent',
    // #if auth
    JWT_SECRET: 'offline'.padEnd(32, '-'),
    // #endif
  });
  return createTasksApi(container, { config, logger: createLogger({ level: 'silent' }) });
}
