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
import { openapi } from '@fairlead/openapi';
import type { Readiness } from './health/readiness.js';
import { logRequests } from './logging/log-requests.js';
import type { Logger } from './logging/logger.js';
import { observeRequests, type RequestObserver } from './middleware/observe-requests.js';
import { storeUnavailable } from './middleware/store-unavailable.js';
import { createOperationRouter, type MetricsText, OPERATION_ROUTES } from './operation-routes.js';
import { createUsersRouter } from './users/routes.js';
import { USER_STORE, type UserStore } from './users/store/user-store.js';
import { VERSION } from './version.js';

/** Options of {@link createUsersApp}. */
export interface UsersAppOptions {
  /** Store of both APIs. The caller closes it after the application. */
  readonly store: UserStore;
  /** Whether error responses include the stack. */
  readonly includeStack: boolean;
  /** Whether a response that does not match its schema is a 500. */
  readonly checkResponses: boolean;
  /** Whether to serve the page `/docs`. */
  readonly docs: boolean;
  /** Logs a line per request, with the errors whose causes are hidden from clients. */
  readonly logger: Logger;
  /** Backs `/health/ready`. */
  readonly readiness: Readiness;
  /** Measures requests and backs `/metrics`. When omitted, there are no metrics and no such route. */
  readonly metrics?: MetricsText & { readonly requests: RequestObserver };
  /** Traces requests. When omitted, requests are not traced. */
  readonly tracing?: Middleware;
  /** Header to read the request id from. When omitted, each request gets a new id. */
  readonly requestIdHeader?: string;
}

// Relative to this file, both in src/ and in dist/.
const CONTROLLERS = new URL('./controllers/', import.meta.url);

/**
 * Builds the service: functional routes at `/api/users`, every controller in `controllers/` under
 * `/api/v1`, their document at `/openapi.json`, and the `/health` and `/metrics` routes for operators.
 *
 * @param options - Store, logger and optional instrumentation.
 * @returns An application that is ready to listen.
 * @throws {ControllerError} When a controller cannot be imported, resolved or routed. The
 *   application is closed first.
 */
export async function createUsersApp(options: UsersAppOptions): Promise<Application> {
  const app = createApp({ checkResponses: options.checkResponses });
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
  const { store, includeStack, docs, logger, readiness, metrics, tracing, requestIdHeader } =
    options;
  const container = createContainer();
  container.register(USER_STORE, { useValue: store });
  const controllers = createRouter();
  const observers = [logRequests(logger, OPERATION_ROUTES), metrics?.requests];

  app.use(
    errorHandler({
      includeStack,
      onError(err, { res, state }) {
        const isRecorded = state.error === err;
        state.error = err;
        // A request is logged when its response closes. A stream may fail after that.
        if (isRecorded || !res.closed) return;
        logger.error({ err, requestId: state.requestId }, 'request failed');
      },
    }),
  );
  app.use(observeRequests(observers.filter((observer) => observer !== undefined)));
  app.use(requestId(requestIdHeader ? { header: requestIdHeader, trust: true } : {}));
  if (tracing !== undefined) app.use(tracing);
  app.use(storeUnavailable);
  app.use(json());
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
  app.route('/', createOperationRouter(readiness, metrics));
  await app.plugin(
    openapi({
      info: {
        title: 'users-api',
        version: VERSION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [{ name: 'users', description: 'The same users through both APIs' }],
      exclude: [...OPERATION_ROUTES],
      docs: docs && '/docs',
      docsInProduction: true,
    }),
  );
  app.use(notFoundHandler());
}
