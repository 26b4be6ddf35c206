import { Application, createApp, type Router } from '../../src/index.js';

/**
 * Seals an application, or one with a router, and so throws what is wrong with the registrations.
 *
 * @returns The same value.
 */
export function start<Registered extends Application | Router>(registered: Registered): Registered {
  const app = registered instanceof Application ? registered : createApp().route('/', registered);
  app.seal();
  return registered;
}
