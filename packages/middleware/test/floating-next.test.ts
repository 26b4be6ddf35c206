import { once } from 'node:events';
import { createApp, type Middleware } from '@fairlead/core';
import { expect, it } from 'vitest';
import { compression, etag, requestLogger } from '../src/index.js';

it.each<[string, Middleware]>([
  ['compression', compression()],
  ['etag', etag()],
  ['requestLogger', requestLogger({ logger: { info: () => undefined } })],
])('%s() called without await is a warning', async (name, inner) => {
  const floating: Middleware = (ctx, next) => {
    void inner(ctx, next);
  };
  Object.defineProperty(floating, 'name', { value: `floating ${name}` });
  const app = createApp()
    .use(floating)
    .get('/', async (ctx) => ctx.json(null));
  const warned = once(process, 'warning');
  await app.request('/');
  const [warning] = await warned;
  expect(warning).toMatchObject({
    code: 'FAIRLEAD_FLOATING_NEXT',
    message: expect.stringContaining(`'floating ${name}' neither awaited nor returned next()`),
  });
});
