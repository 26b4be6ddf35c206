import { createApp } from '@fairlead/core';
import { serve } from '@fairlead/serve';

/** Creates the application. The tests call it, too. */
export function createMyApp() {
  // The start fails for a route that says neither who may call it, nor why everyone may.
  return createApp({ access: 'declared' })
    .get('/', { public: 'It greets everyone.' }, () => ({ message: 'Hello, world!' }))
    .get('/hello/:name', { public: 'It greets everyone.' }, ({ params }) => ({
      message: `Hello, ${params.name}!`,
    }));
}

// Tests import this file, and must not open a port.
if (import.meta.main) {
  await serve(createMyApp, { port: Number(process.env.PORT ?? 8080) });
}
