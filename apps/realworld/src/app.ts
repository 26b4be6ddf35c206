import { createApp } from '@fairlead/core';
import { cors, createHealth, requestId } from '@fairlead/middleware';
import { openapi } from '@fairlead/openapi';
import { logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
import { createArticlesRouter } from './articles.ts';
import { createAuth } from './auth.ts';
import { formatError } from './errors.ts';
import { Errors } from './schemas.ts';
import type { Database } from './store/database.ts';
import { createStore } from './store/store.ts';
import { createUsersRouter } from './users.ts';

interface Options {
  /** The caller closes it after the application. */
  readonly database: Database;
  /** Signs the tokens: at least 32 characters. */
  readonly secret: string;
  readonly logger: Logger;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
}

/** Creates the application. The tests call it, too. */
export async function createConduit({ database, secret, logger, stopping }: Options) {
  const store = createStore(database);
  const auth = createAuth(store, secret);
  const app = createApp({ validationStatus: 422, onError: logErrors(logger), format: formatError })
    .use(logRequests(logger), requestId())
    .use(cors())
    .route('/', createHealth({ checks: { database: () => database.check() }, stopping }));
  await app.plugin(
    openapi({
      info: { title: 'Conduit', version: '2.0.0' },
      errorSchema: Errors,
      docsInProduction: true,
    }),
  );
  return app
    .route('/api', createUsersRouter(store, auth))
    .route('/api', createArticlesRouter(store, auth));
}
