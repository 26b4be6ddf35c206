import { once } from 'node:events';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { expect, it } from 'vitest';
import { createApp } from '../src/index.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

it('ctx.signal aborts when the client disconnects', async () => {
  const [begun, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const app = createApp().use(async (ctx) => {
    const { signal } = ctx;
    begun.resolve();
    await once(signal, 'abort');
    aborted.resolve(signal.aborted);
  });
  const { port } = await serve(app);
  const { socket } = connectRaw(port);
  socket.write(REQUEST);
  await begun.promise;
  socket.destroy();
  expect(await aborted.promise).toBe(true);
});

it('ctx.signal is already aborted when first read after the client disconnected', async () => {
  const [begun, seen] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const app = createApp().use(async (ctx) => {
    begun.resolve();
    await once(ctx.res, 'close');
    seen.resolve(ctx.signal.aborted);
  });
  const { port } = await serve(app);
  const { socket } = connectRaw(port);
  socket.write(REQUEST);
  await begun.promise;
  socket.destroy();
  expect(await seen.promise).toBe(true);
});

it('ctx.signal does not abort after a complete response', async () => {
  const after = Promise.withResolvers<readonly boolean[]>();
  const app = createApp().use((ctx) => {
    const { signal } = ctx;
    ctx.res.once('close', () => after.resolve([signal.aborted, ctx.signal.aborted]));
    ctx.send('complete');
  });
  const send = await sender(app);
  await send('GET', '/');
  expect(await after.promise).toEqual([false, false]);
});

it('ctx.signal is always the same signal', async () => {
  const app = createApp().use((ctx) => {
    const { signal } = ctx;
    ctx.json(ctx.signal === signal);
  });
  const send = await sender(app);
  expect((await send('GET', '/')).json()).toBe(true);
});
