import { type ControllersPluginOptions, controllersPlugin } from '@fairlead/controllers';
import {
  type AnyMiddleware,
  type Application,
  createApp,
  createRouter,
  errorHandler,
  json,
  notFoundHandler,
  type Plugin,
  type Router,
} from '@fairlead/core';
import { type Constructor, createContainer } from '@fairlead/di';

/** Creates an application with controllers and a new container, as the documents recommend. */
export function serveControllers(
  controllers: readonly Constructor[],
  options: Partial<ControllersPluginOptions> = {},
): Promise<Application> {
  const container = createContainer();
  return serveRouter((router) => controllersPlugin({ router, container, controllers, ...options }));
}

/** Creates an application with middleware before its only route. */
export function using(middleware: AnyMiddleware): Application {
  return createApp()
    .use(middleware)
    .get('/', () => 1);
}

/** Creates an application with a plugin that registers routes. */
export async function serveRouter(createPlugin: (router: Router) => Plugin): Promise<Application> {
  const router = createRouter();
  const app = createApp().use(errorHandler(), json());
  await app.plugin(createPlugin(router));
  return app.route('/', router).use(notFoundHandler());
}
