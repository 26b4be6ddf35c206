import { onTestFinished } from 'vitest';
import { type Application, type ListenOptions, listen, type Server } from '../../src/index.js';

/** Listens on a free port until the test finishes. */
export async function serve(app: Application, options: ListenOptions = {}): Promise<Server> {
  const server = await listen(app, 0, { host: '127.0.0.1', ...options });
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}
