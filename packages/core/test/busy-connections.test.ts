import { connectRaw } from '@fairlead/test-support/raw-connection';
import { expect, it } from 'vitest';
import { createApp, createRouter } from '../src/index.js';
import { serve } from './support/serve.js';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

it('a connection whose second request of a pipeline takes long is not idle', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const router = createRouter()
    .get('/quick', (ctx) => ctx.send('quick'))
    .get('/slow', async (ctx) => {
      begun.resolve();
      await gate.promise;
      ctx.send('slow');
    });
  const { port } = await serve(createApp().route('/', router), { keepAliveTimeout: 50 });
  const [busy, idle] = [connectRaw(port), connectRaw(port)];
  busy.socket.write(get('/quick') + get('/slow'));
  await Promise.all([busy.responses(1), begun.promise]);
  idle.socket.write(get('/quick'));
  // The server looks for idle connections in the order in which they were opened.
  await idle.ended();
  gate.resolve();
  const [, second] = await busy.responses(2);
  expect(second).toMatch(/\r\n\r\nslow$/);
});
