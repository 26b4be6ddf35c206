import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import type { Application } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { createNotesApi } from '../src/app.ts';
import { Clock } from '../src/notes.ts';

let api: Application;

beforeEach(async () => {
  const container = createContainer().override(Clock, { useValue: { now: () => new Date(0) } });
  api = await createNotesApi(container, { apiKey: 'key' });
});

/** Creates a note. */
function create(text: string, key = 'key') {
  return api.request('/api/notes', {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ text }),
  });
}

it('creates, lists and shows notes', async () => {
  const created = await create(' Buy milk ');
  assert.equal(created.status, 201);
  const note = await created.json();
  assert.deepEqual(note, { id: 1, text: 'Buy milk', createdAt: '1970-01-01T00:00:00.000Z' });
  assert.deepEqual(await (await api.request('/api/notes')).json(), [note]);
  assert.deepEqual(await (await api.request('/api/notes/1')).json(), note);
});

it('deletes a note once', async () => {
  await create('Buy milk');
  const request = { method: 'DELETE', headers: { Authorization: 'Bearer key' } };
  assert.equal((await api.request('/api/notes/1', request)).status, 204);
  assert.equal((await api.request('/api/notes/1', request)).status, 404);
});

it('rejects changes without the API key', async () => {
  assert.equal((await create('Buy milk', 'wrong')).status, 401);
  assert.equal((await api.request('/api/notes/1', { method: 'DELETE' })).status, 401);
});

it('rejects an empty text', async () => {
  const rejected = await create(' ');
  assert.equal(rejected.status, 400);
  const { issues } = (await rejected.json()) as { issues: { path: string[] }[] };
  assert.deepEqual(issues[0]?.path, ['body', 'text']);
});

it('is ready', async () => {
  assert.equal((await api.request('/health/ready')).status, 200);
});
