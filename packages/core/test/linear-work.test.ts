import { expect, it } from 'vitest';
import { createApp, createRouter, errorHandler, urlencoded } from '../src/index.js';
import { sender } from './support/send.js';

it('a form with far too many fields is rejected before it is parsed', async () => {
  const app = createApp().use(errorHandler(), urlencoded());
  const body = 'a&'.repeat(2 ** 19);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const response = await app.request('/', { method: 'POST', body, headers });
  expect(response.status).toBe(413);
});

// A search in quadratic time would exceed the timeout.
it('paths of 8,000 dashes or slashes get responses', async () => {
  const router = createRouter()
    .get('/:a', (ctx) => ctx.send('one'))
    .get('/:a/:b/*rest', (ctx) => ctx.send('rest'));
  const app = createApp().use(errorHandler()).route('/', router);
  const send = await sender(app);
  const statuses = [];
  for (const text of ['-', '/', '/-', '%2F']) {
    statuses.push((await send('GET', `/${text.repeat(8_000 / text.length)}`)).status);
  }
  expect(statuses).toEqual([200, 404, 404, 200]);
});

it('a route with a thousand parameters is found', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `/:p${index}`);
  const router = createRouter().get(names.join(''), (ctx) =>
    ctx.json(Object.keys(ctx.params).length),
  );
  const response = await createApp().route('/', router).request('/a'.repeat(1_000));
  expect(await response.json()).toBe(1_000);
});
