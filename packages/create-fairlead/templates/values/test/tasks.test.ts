import assert from 'node:assert/strict';
import { it } from 'node:test';
import { api, request } from './api.ts';

const create = (title: string) => request('/api/tasks', { method: 'POST', json: { title } });

it('creates, lists and shows tasks', async () => {
  const created = await create(' Buy milk ');
  assert.equal(created.status, 201);
  const task = await created.json();
  assert.partialDeepStrictEqual(task, { id: 1, title: 'Buy milk', done: false });
  await create('Call Bob');
  const page = await request('/api/tasks', { query: { limit: 1 } });
  assert.deepEqual(await page.json(), [task]);
  assert.deepEqual(await (await request('/api/tasks/1')).json(), task);
});

it('changes the members that a request contains', async () => {
  await create('Buy milk');
  const changed = await request('/api/tasks/1', { method: 'PATCH', json: { done: true } });
  assert.partialDeepStrictEqual(await changed.json(), { title: 'Buy milk', done: true });
});

it('deletes a task once', async () => {
  await create('Buy milk');
  assert.equal((await request('/api/tasks/1', { method: 'DELETE' })).status, 204);
  assert.equal((await request('/api/tasks/1', { method: 'DELETE' })).status, 404);
});

// #if !auth
it('rejects changes without the API key', async () => {
  const headers = { Authorization: 'Bearer wrong' };
  const init = { method: 'POST', json: { title: 'Buy milk' } };
  assert.equal((await api.request('/api/tasks', { ...init, headers })).status, 401);
  assert.equal((await api.request('/api/tasks', init)).status, 401);
  assert.deepEqual(await (await api.request('/api/tasks')).json(), []);
});
// #endif
// #if auth
it('rejects requests without a token', async () => {
  assert.equal((await api.request('/api/tasks')).status, 401);
});
// #endif

it('rejects an empty title', async () => {
  const rejected = await create(' ');
  assert.equal(rejected.status, 400);
  assert.partialDeepStrictEqual(await rejected.json(), { issues: [{ path: ['body', 'title'] }] });
});

it('is ready', async () => {
  assert.equal((await request('/health/ready')).status, 200);
});
