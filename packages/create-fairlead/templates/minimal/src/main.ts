import { createApp } from '@fairlead/core';
import { serve } from '@fairlead/serve';

/** Creates the application. The tests call it, too. */
export function createMyApp() {
  return createApp()
    .get('/', () => ({ message: 'Hello, world!' }))
    .get('/hello/:name', ({ params }) => ({ message: `Hello, ${params.name}!` }));
}

// Tests import this file, and must not open a port.
if (import.meta.main) {
  await serve(createMyApp, { port: Number(process.env.PORT ?? 8080) });
}
