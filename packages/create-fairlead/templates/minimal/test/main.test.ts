import { expect, it } from 'vitest';
import { createMyApp } from '../src/main.js';

const app = createMyApp();

it('greets the world', async () => {
  const response = await app.request('/');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ message: 'Hello, world!' });
});

it('greets by name', async () => {
  const response = await app.request('/hello/Ada');
  expect(await response.json()).toEqual({ message: 'Hello, Ada!' });
});

it('responds with 404 to an unknown path', async () => {
  expect((await app.request('/unknown')).status).toBe(404);
});
