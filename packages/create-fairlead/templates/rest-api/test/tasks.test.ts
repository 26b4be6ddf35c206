import { expect, it } from 'vitest';
import { request } from './api.js';

const create = (title: string) => request('/api/tasks', { method: 'POST', json: { title } });

it('creates, lists and shows tasks', async () => {
  const created = await create(' Buy milk ');
  expect(created.status).toBe(201);
  const task = await created.json();
  expect(task).toMatchObject({ id: 1, title: 'Buy milk', done: false });
  await create('Call Bob');
  const page = await request('/api/tasks', { query: { limit: 1 } });
  expect(await page.json()).toEqual([task]);
  expect(await (await request('/api/tasks/1')).json()).toEqual(task);
});

it('changes the members that a request contains', async () => {
  await create('Buy milk');
  const changed = await request('/api/tasks/1', { method: 'PATCH', json: { done: true } });
  expect(await changed.json()).toMatchObject({ title: 'Buy milk', done: true });
});

it('deletes a task once', async () => {
  await create('Buy milk');
  expect((await request('/api/tasks/1', { method: 'DELETE' })).status).toBe(204);
  expect((await request('/api/tasks/1', { method: 'DELETE' })).status).toBe(404);
});

it('rejects an empty title', async () => {
  const rejected = await create(' ');
  expect(rejected.status).toBe(400);
  expect(await rejected.json()).toMatchObject({ issues: [{ path: ['body', 'title'] }] });
});

it('is ready, and describes its routes', async () => {
  expect((await request('/health/ready')).status).toBe(200);
  const document = await (await request('/openapi.json')).json();
  expect(document).toMatchObject({ paths: { '/api/tasks': {}, '/api/tasks/{id}': {} } });
});
