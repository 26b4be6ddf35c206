import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { type Container, createContainer } from '@fairlead/di';
import { createHealth } from '@fairlead/middleware';
import { API_KEY } from './api-key.ts';

interface Options {
  readonly apiKey: string;
  /** Once it aborts, `/health/ready` responds with 503. */
  readonly stopping?: AbortSignal;
}

/** Creates the application. The tests call it, too. */
export async function createNotesApi(container: Container, { apiKey, stopping }: Options) {
  container.register(API_KEY, { useValue: apiKey });
  const router = createRouter();
  // The start fails for a route that says neither who may call it, nor why everyone may.
  const app = createApp({ access: 'declared' }).route('/', createHealth({ stopping }));
  const root = new URL('./controllers/', import.meta.url);
  await app.plugin(controllersPlugin({ router, container, root, prefix: '/api', strict: true }));
  return app.route('/', router);
}

/** Creates the application for the command line of Fairlead. */
export function createOfflineApp() {
  return createNotesApi(createContainer(), { apiKey: 'offline' });
}
