import { controllersPlugin } from '@fairlead/controllers';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  json,
  type Middleware,
  notFoundHandler,
  requestId,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import type { Readiness } from './health/readiness.js';
import { logRequests } from './logging/log-requests.js';
import type { Logger } from './logging/logger.js';
import { observeRequests, type RequestObserver } from './middleware/observe-requests.js';
import { storeUnavailable } from './middleware/store-unavailable.js';
import { createOperationRouter, type MetricsText, OPERATION_ROUTES } from './operation-routes.js';
import { USER_LIMITS, type UserLimits } from './users/input.js';
import { createUsersRouter } from './users/routes.js';
import { USER_STORE, type UserStore } from './users/store/user-store.js';

/** What the application is made of. */
export interface UsersAppOptions {
  /** Serves both APIs; the caller closes it after the application. */
  readonly store: UserStore;
  /** Longest name and email that a client may give. */
  readonly limits: UserLimits;
  /** Whether an error answer carries the stack. */
  readonly includeStack: boolean;
  /** Takes a line for each request; it has the error whose cause no client may read. */
  readonly logger: Logger;
  /** Answers for `/health/ready`. */
  readonly readiness: Readiness;
  /** Is told of each request, and answers for `/metrics`; neither happens without it. */
  readonly metrics?: MetricsText & { readonly requests: RequestObserver };
  /** Traces each request; none is traced without it. */
  readonly tracing?: Middleware;
  /** Header whose value is kept as a request's id. Each request gets a new one without it. */
  readonly requestIdHeader?: string;
}

// Beside this file, in src/ as well as in dist/.
const CONTROLLERS = new URL('./controllers/', import.meta.url);

/**
 * Builds the service: functional routes at `/api/users`, every controller found in `controllers/`
 * below `/api/v1`, and what those who run it ask, at `/health` and `/metrics`.
 *
 * @param options - Store, limits, error detail, log and measurements.
 * @returns An application that is ready to listen.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed; what was made
 *   before is disposed.
 * @see Specification, "What the service does", rule 2, for the order of the chain
 */
export async function createUsersApp(options: UsersAppOptions): Promise<Application> {
  const app = createApp();
  try {
    await build(app, options);
    return app;
  } catch (error) {
    const onFailure = (err: unknown) => options.logger.error({ err }, 'failed to clean up');
    await app.close().catch(onFailure);
    throw error;
  }
}

async function build(app: Application, options: UsersAppOptions): Promise<void> {
  const { store, limits, includeStack, logger, readiness, metrics, tracing, requestIdHeader } =
    options;
  const container = createContainer();
  container.register(USER_STORE, { useValue: store });
  container.register(USER_LIMITS, { useValue: limits });
  const controllers = createRouter();
  const observers = [logRequests(logger, OPERATION_ROUTES), metrics?.requests];

  app.use(
    errorHandler({
      includeStack,
      onError(err, { res, state }) {
        const isToldOf = state.error === err;
        state.error = err;
        // The line of a request was written when its response closed; what ends a stream may come later.
        if (isToldOf || !res.closed) return;
        logger.error({ err, requestId: state.requestId }, 'request failed');
      },
    }),
  );
  app.use(observeRequests(observers.filter((observer) => observer !== undefined)));
  app.use(requestId(requestIdHeader ? { header: requestIdHeader, trust: true } : {}));
  if (tracing !== undefined) app.use(tracing);
  app.use(storeUnavailable);
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
  app.route('/api/users', createUsersRouter(store, limits));
  app.route('/', controllers);
  app.route('/', createOperationRouter(readiness, metrics));
  app.use(notFoundHandler());
}
