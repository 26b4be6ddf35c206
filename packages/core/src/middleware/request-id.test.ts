import { expect, it } from 'vitest';
import { createApp } from '../app/application.js';
import { requestId } from './request-id.js';

const app = createApp().use(requestId({ trust: true, create: () => 'created' }), (ctx) =>
  ctx.send(''),
);

it.each([
  ['of one character', 'a', 'a'],
  ['of 128 characters', 'a'.repeat(128), 'a'.repeat(128)],
  ['of 129 characters', 'a'.repeat(129), 'created'],
  ['without characters', '', 'created'],
  ['with another character', 'a/b', 'created'],
])('a trusted id %s', async (_, received, id) => {
  const response = await app.request('/', { headers: { 'X-Request-Id': received } });
  expect(response.headers.get('X-Request-Id')).toBe(id);
});

it('create receives the context', async () => {
  const own = createApp().use(requestId({ create: ({ path }) => `id-of${path.slice(1)}` }), (ctx) =>
    ctx.send(String(ctx.state.requestId)),
  );
  expect(await (await own.request('/7')).text()).toBe('id-of7');
});

it('is a UUID by default', async () => {
  const response = await createApp()
    .use(requestId(), (ctx) => ctx.send(''))
    .request('/');
  expect(response.headers.get('X-Request-Id')).toMatch(
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
  );
});
