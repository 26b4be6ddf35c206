import { connectRaw } from '@fairlead/test-support/raw-connection';
import { expect, it, onTestFinished, vi } from 'vitest';
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

it('a keepAliveTimeout of 0 sets no limit', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { port } = await serve(
    createApp().use((ctx) => ctx.send('hello')),
    { keepAliveTimeout: 0 },
  );
  const connection = connectRaw(port);
  connection.socket.write(get('/'));
  await connection.responses(1);
  for (let minute = 0; minute < 5; minute += 1) {
    vi.advanceTimersByTime(60_000);
    // The server checks its connections in the next turn of the event loop.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  connection.socket.write(get('/'));
  expect(await connection.responses(2)).toHaveLength(2);
});
