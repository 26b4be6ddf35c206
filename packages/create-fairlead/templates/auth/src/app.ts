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
import { jwtGuard } from '@fairlead/jwt/controllers';
import { createHealth, requestId } from '@fairlead/middleware';
import { createLogger, logErrors, logRequests } from '@fairlead/pino';
import type { Logger } from 'pino';
import { Accounts, DATABASE, openDatabase } from './accounts.js';
import { Config } from './config.js';
import { Passwords } from './passwords.js';
import { Tokens } from './tokens.js';

interface Options {
  readonly config: Config;
  readonly logger: Logger;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
}

/** Creates the application. Closing it disposes the container, which closes the database. */
export async function createAuthApi(container: Container, { config, logger, stopping }: Options) {
  const tokens = new Tokens(config.JWT_SECRET);
  container.register(Tokens, { useValue: tokens });
  container.register(Passwords, { useValue: new Passwords() });
  container.register(DATABASE, { useFactory: () => openDatabase(config.DATABASE_PATH) });
  const checks = { database: () => container.resolve(DATABASE).check() };
  const router = createRouter();
  const app = createApp({ onError: logErrors(logger) })
    .use(errorHandler(), logRequests(logger), requestId())
    .route('/', createHealth({ checks, stopping }))
    .use(json());
  const root = new URL('./controllers/', import.meta.url);
  // Every route of a controller needs a token, unless it is @Public().
  const guards = [jwtGuard(tokens.auth)];
  await app.plugin(controllersPlugin({ router, container, root, guards, strict: true }));
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  if (email && password) await container.resolve(Accounts).create({ email, password }, 'admin');
  return app.route('/', router).use(notFoundHandler());
}

/** Creates the application for the command line of Fairlead, which needs neither a database nor secrets. */
export function createOfflineApp() {
  const refuse = (): never => {
    throw new ServiceUnavailableError('There is no database offline.');
  };
  const database = { read: refuse, write: refuse, check: refuse };
  const container = createContainer().override(DATABASE, { useValue: database });
  const logger = createLogger({ level: 'silent' });
  const config = Config.parse({ JWT_SECRET: 'offline'.padEnd(32, '-') });
  return createAuthApi(container, { config, logger });
}
