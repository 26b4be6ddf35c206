import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, json, notFoundHandler } from '@fairlead/core';
import type { Container } from '@fairlead/di';
import { createHealth, requestId } from '@fairlead/middleware';
import { openapi } from '@fairlead/openapi';
import { logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
import type { Config } from './config.js';
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
