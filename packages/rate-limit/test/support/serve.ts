import { type Application, listen, type Server } from '@fairlead/core';
import { onTestFinished } from 'vitest';

/** Listens on a free port until the test finishes. */
export async function serve(app: Application): Promise<Server> {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}
