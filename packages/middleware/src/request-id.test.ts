import { createApp } from '@fairlead/core';
import { expect, it } from 'vitest';
import { requestId } from './request-id.js';

const create = (options = {}) =>
  createApp().use(requestId(options), (ctx) => ctx.json(ctx.state.requestId));

it('sets a unique id in state and header', async () => {
  const one = await create().request('/');
  const other = await create().request('/');
  expect(one.headers.get('X-Request-Id')).toBe(await one.json());
  expect(one.headers.get('X-Request-Id')).not.toBe(other.headers.get('X-Request-Id'));
});

it('ignores an id from the client by default', async () => {
  const response = await create().request('/', { headers: { 'X-Request-Id': 'mine' } });
  expect(await response.json()).not.toBe('mine');
});

it('keeps a well-formed id from a trusted proxy', async () => {
  const ask = (id: string) =>
    create({ trust: true }).request('/', { headers: { 'X-Request-Id': id } });
  expect(await (await ask('a-1.b_2')).json()).toBe('a-1.b_2');
  expect(await (await ask('a b')).json()).not.toBe('a b');
});

it.each([
  ['of one character', 'a', 'a'],
  ['of 128 characters', 'a'.repeat(128), 'a'.repeat(128)],
  ['of 129 characters', 'a'.repeat(129), 'created'],
  ['without characters', '', 'created'],
  ['with another character', 'a/b', 'created'],
])('a trusted id %s', async (_, received, id) => {
  const app = create({ trust: true, create: () => 'created' });
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

it('a header that cannot be sent is refused when the middleware is made', () => {
  expect(() => requestId({ header: 'bad header' })).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION' }),
  );
});
