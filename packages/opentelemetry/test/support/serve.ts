import { createApp, errorHandler, json, listen, type Middleware, Router } from '@fairlead/core';
import { onTestFinished } from 'vitest';

/** Starts an application on a free port for the running test, and returns its URL. */
export async function serve(...steps: readonly (Middleware | Router)[]): Promise<string> {
  const app = createApp().use(errorHandler({ onError: () => undefined }), json());
  for (const step of steps) {
    if (step instanceof Router) app.route('/', step);
    else app.use(step);
  }
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server.url;
}
