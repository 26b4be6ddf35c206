import { expect, it, vi } from 'vitest';
import { createApp } from '../src/index.js';

it('an application creates no AbortController before a request needs one', async () => {
  const create = vi.spyOn(globalThis, 'AbortController').mockImplementation(() => {
    throw new Error('Disallowed operation called within global scope.');
  });
  const app = createApp().get('/', ({ closing }) => closing.aborted);
  app.seal();
  create.mockRestore();
  expect(await (await app.request('/')).json()).toBe(false);
});

it('requests that need no connection share the signal of their application', async () => {
  const signals: AbortSignal[] = [];
  const app = createApp().get('/', ({ closing }) => signals.push(closing));
  await app.request('/');
  await app.request('/');
  await app.close();
  expect(signals[0]).toBe(signals[1]);
  expect(signals[0]?.aborted).toBe(true);
});

it('in Workers, each request has its own signal', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  const signals: AbortSignal[] = [];
  const app = createApp().get('/', (ctx) => signals.push(ctx.closing, ctx.closing));
  await app.request('/');
  await app.request('/');
  vi.unstubAllGlobals();
  expect(new Set(signals).size).toBe(2);
});
