import { controllersPlugin, registerController } from '@fairlead/controllers';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  notFoundHandler,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { createMetrics } from '@fairlead/metrics';
import { createHealth, requestId } from '@fairlead/middleware';
import { openapi } from '@fairlead/openapi';
import { openTelemetry } from '@fairlead/opentelemetry';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
import { Config, VERSION } from './config.js';
import { formatError } from './errors.js';
import { createUsersRouter } from './users/routes.js';
import { MemoryUserStore } from './users/store/memory.js';
import { USER_STORE, type UserStore } from './users/store/user-store.js';
import { users } from './users/values.js';

/** Why the metrics need no credentials. */
const OPERATORS = 'Only operators reach OPERATIONS_PORT, and a proxy hides it otherwise.';

/** Options of {@link createUsersApp}. */
export interface UsersAppOptions {
  readonly config: Config;
  /** Store of all APIs. The caller closes it after the application. */
  readonly store: UserStore;
  readonly logger: Logger;
  /** Once it aborts, the service is not ready. */
  readonly stopping?: AbortSignal;
}

/**
 * Builds the service: functional routes at `/api/users`, every `*controller.ts` under `/api/v1`, a controller as a
 * value at `/api/v2/users`, their document at `/openapi.json`, and the routes for operators.
 *
 * @returns Two applications that are ready to listen. `operations`, which has the routes for operators, is
 *   `app` unless `OPERATIONS_PORT` is set.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed.
 */
export async function createUsersApp(options: UsersAppOptions) {
  const { config, store, logger, stopping } = options;
  const onError = logErrors(logger);
  const access = 'declared';
  const app = createApp({ access, checkResponses: config.checkResponses, onError });
  const operations = config.OPERATIONS_PORT === undefined ? app : createApp({ access, onError });
  const apps = new Set([app, operations]);
  const header = config.REQUEST_ID_HEADER;
  for (const one of apps) {
    one.use(
      errorHandler({ includeStack: config.includeStack, format: formatError }),
      logRequests(logger, { quiet: isPolled }),
      requestId(header === undefined ? {} : { header, trust: true }),
    );
  }
  if (config.METRICS) {
    const metrics = createMetrics();
    metrics.register(store.metrics);
    app.use(metrics.middleware);
    operations.route('/', metrics.router('/metrics', { public: OPERATORS }));
  }
  const health = createHealth({ checks: { store: () => store.check() }, stopping, logger });
  operations.route('/', health);
  if (config.TRACING) app.use(openTelemetry({ onWarning: (text) => logger.warn(text) }));
  app.use(json({ limit: config.MAX_BODY_SIZE }));
  app.route('/api/users', createUsersRouter(store));
  await app.plugin(
    openapi({
      info: { title: 'users-api', version: VERSION, license: { name: 'MIT', identifier: 'MIT' } },
      tags: [{ name: 'users', description: 'The same users through three APIs' }],
      docs: config.hasDocs && '/docs',
      docsInProduction: true,
      public: 'Developers of clients read it.',
    }),
  );
  const container = createContainer().register(USER_STORE, { useValue: store });
  const router = createRouter();
  // Relative to this file, both in src/ and in dist/.
  const discovery = { root: new URL('.', import.meta.url), include: ['**/*controller.{ts,js}'] };
  const prefix = '/api/v1';
  await app.plugin(controllersPlugin({ router, ...discovery, prefix, container, strict: true }));
  registerController(router, users, { prefix: '/api', container });
  app.route('/', router);
  for (const one of apps) one.use(notFoundHandler());
  return { app, operations };
}

/** Whether a request is one of a probe or a scraper. */
function isPolled({ pattern }: Context): boolean {
  return pattern === '/metrics' || pattern?.startsWith('/health/') === true;
}

/** Builds the service to describe it. It logs nothing, and its store leaves no files behind. */
export async function createOfflineApp(): Promise<Application> {
  const config = new Config({ DATABASE_URL: 'memory:', DOCS: 'off' });
  const logger = createLogger({ level: 'silent' });
  return (await createUsersApp({ config, logger, store: new MemoryUserStore() })).app;
}
