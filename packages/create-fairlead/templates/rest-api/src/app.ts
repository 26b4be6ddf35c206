import { controllersPlugin } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  errorHandler,
  json,
  notFoundHandler,
  ServiceUnavailableError,
} from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
import { createHealth, requestId } from '@fairlead/middleware';
import { openapi } from '@fairlead/openapi';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
import { Config } from './config.js';
import { DATABASE, openDatabase } from './tasks.js';

interface Options {
  readonly config: Config;
  readonly logger: Logger;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
}

/** Creates the application. Closing it disposes the container, which closes the database. */
export async function createTasksApi(container: Container, { config, logger, stopping }: Options) {
  container.register(DATABASE, { useFactory: () => openDatabase(config.DATABASE_PATH) });
  const checks = { database: () => container.resolve(DATABASE).check() };
  const router = createRouter();
  const app = createApp({ onError: logErrors(logger) })
    .use(errorHandler(), logRequests(logger), requestId())
    .route('/', createHealth({ checks, stopping }))
    .use(json());
  await app.plugin(openapi({ info: { title: 'Tasks', version: '1.0.0' } }));
  const root = new URL('./controllers/', import.meta.url);
  await app.plugin(controllersPlugin({ router, container, root, prefix: '/api', strict: true }));
  return app.route('/', router).use(notFoundHandler());
}

/** Creates the application for the command line of Fairlead, which needs no database. */
export function createOfflineApp() {
  const refuse = (): never => {
    throw new ServiceUnavailableError('There is no database offline.');
  };
  const database = { read: refuse, write: refuse, check: refuse };
  const container = createContainer().override(DATABASE, { useValue: database });
  const logger = createLogger({ level: 'silent' });
  return createTasksApi(container, { config: Config.parse({}), logger });
}
