import { expect, it } from 'vitest';
import { createApp } from '../application.js';
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
