import { controllersPlugin } from '@fairlead/controllers';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  json,
  notFoundHandler,
  requestLogger,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { createUsersRouter } from './users/routes.js';
import { USER_STORE, type UserStore } from './users/store/user-store.js';

/** What the application is made of. */
export interface UsersAppOptions {
  /** Serves both APIs; the caller closes it after the application. */
  readonly store: UserStore;
  /** Whether an error answer carries the stack. */
  readonly includeStack: boolean;
  /** Takes one line for each request. */
  readonly log: (line: string) => void;
  /** Takes each error whose cause no client may read. */
  readonly onError: (error: unknown) => void;
}

// Beside this file, in src/ as well as in dist/.
const CONTROLLERS = new URL('./controllers/', import.meta.url);

/**
 * Builds the service: functional routes at `/api/users`, and every controller found in
 * `controllers/` below `/api/v1`.
 *
 * @param options - Store, error detail and logs.
 * @returns An application that is ready to listen.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed.
 * @see Specification, "What the service does", rule 2, for the order of the chain
 */
export async function createUsersApp(options: UsersAppOptions): Promise<Application> {
  const { store, includeStack, log, onError } = options;
  const container = createContainer();
  container.register(USER_STORE, { useValue: store });
  const controllers = createRouter();

  const app = createApp();
  app.use(errorHandler({ includeStack, onError }));
  app.use(requestLogger({ log }));
  app.use(json());
  await app.plugin({ name: 'container', install() {}, close: () => container.dispose() });
  await app.plugin(
    controllersPlugin({
      router: controllers,
      root: CONTROLLERS,
      prefix: '/api/v1',
      container,
      strict: true,
    }),
  );
  app.route('/api/users', createUsersRouter(store));
  app.route('/', controllers);
  app.use(notFoundHandler());
  return app;
}
