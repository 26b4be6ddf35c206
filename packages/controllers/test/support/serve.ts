import {
  type ApplicationOptions,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  type Middleware,
  notFoundHandler,
} from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { onTestFinished } from 'vitest';
import {
  type ControllersPlugin,
  type ControllersPluginOptions,
  controllersPlugin,
} from '../../src/index.js';

/** An application that listens until the test ends. */
export interface Served {
  readonly plugin: ControllersPlugin;
  readonly url: string;
  /** Errors that `errorHandler` did not show to a client. */
  readonly hidden: readonly unknown[];
  /** Sends a request over a socket. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a JSON body. */
  post(path: string, body: unknown): Promise<Response>;
}

/** Serves controllers over a socket on a free port, with a new container by default. */
export async function serve(
  options: Partial<ControllersPluginOptions>,
  before: readonly Middleware[] = [],
  ofApp: ApplicationOptions = {},
): Promise<Served> {
  const hidden: unknown[] = [];
  const onError = (error: unknown, _ctx: Context) => void hidden.push(error);
  const router = createRouter();
  const app = createApp(ofApp);
  app.use(errorHandler({ onError }), json(), ...before);
  const plugin = controllersPlugin({ router, container: createContainer(), ...options });
  await app.plugin(plugin);
  app.route('/', router).use(notFoundHandler());
  const server = await listen(app, 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  const send = (path: string, init?: RequestInit) => fetch(new URL(path, server.url), init);
  return {
    plugin,
    url: server.url,
    hidden,
    fetch: send,
    post: (path, body) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  };
}
