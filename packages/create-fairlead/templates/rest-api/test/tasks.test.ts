import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@fairlead/pino';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTasksApi } from '../src/app.js';
import { Config } from '../src/config.js';

let folder: string;
let api: TestApp;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  const config = Config.parse({ DATABASE_PATH: join(folder, 'tasks.db') });
  const logger = createLogger({ level: 'silent' });
  api = await createTestApp({ app: (container) => createTasksApi(container, { config, logger }) });
});

afterEach(async () => {
  await api?.close();
  await rm(folder, { recursive: true });
});

const create = (title: string) => api.request('/api/tasks', { method: 'POST', json: { title } });

it('creates, lists and shows tasks', async () => {
  const created = await create(' Buy milk ');
  expect(created.status).toBe(201);
  const task = await created.json();
  expect(task).toMatchObject({ id: 1, title: 'Buy milk', done: false });
  await create('Call Bob');
  const page = await api.request('/api/tasks', { query: { limit: 1 } });
  expect(await page.json()).toEqual([task]);
  expect(await (await api.request('/api/tasks/1')).json()).toEqual(task);
});

it('changes the members that a request contains', async () => {
  await create('Buy milk');
  const changed = await api.request('/api/tasks/1', { method: 'PATCH', json: { done: true } });
  expect(await changed.json()).toMatchObject({ title: 'Buy milk', done: true });
});

it('deletes a task once', async () => {
  await create('Buy milk');
  expect((await api.request('/api/tasks/1', { method: 'DELETE' })).status).toBe(204);
  expect((await api.request('/api/tasks/1', { method: 'DELETE' })).status).toBe(404);
});

it('rejects an empty title', async () => {
  const rejected = await create(' ');
  expect(rejected.status).toBe(400);
  expect(await rejected.json()).toMatchObject({ issues: [{ path: ['body', 'title'] }] });
});

it('is ready, and describes its routes', async () => {
  expect((await api.request('/health/ready')).status).toBe(200);
  const document = await (await api.request('/openapi.json')).json();
  expect(document).toMatchObject({ paths: { '/api/tasks': {}, '/api/tasks/{id}': {} } });
});
