import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMyApp } from '../src/main.ts';

const app = createMyApp();

it('greets the world', async () => {
  const response = await app.request('/');
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { message: 'Hello, world!' });
});

it('greets by name', async () => {
  const response = await app.request('/hello/Ada');
  assert.deepEqual(await response.json(), { message: 'Hello, Ada!' });
});

it('responds with 404 to an unknown path', async () => {
  assert.equal((await app.request('/unknown')).status, 404);
});
