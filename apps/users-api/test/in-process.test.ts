import { listen } from '@fairlead/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { UserStore } from '../src/users/store/user-store.js';
import type { User } from '../src/users/user.js';
import { createApps } from './support/api.js';

const ADA: User = Object.freeze({
  id: '0b0f2a4e-6f5a-4a57-9d3c-1f0e8a6b7c1d',
  name: 'Ada <b>',
  email: 'ada@example.com',
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
});

/** A store that always holds the same user. Its writes change nothing. */
const ONE_USER: UserStore = {
  list: async function* () {
    yield [ADA];
  },
  page: () => ({ users: [ADA], total: 1 }),
  find: (id) => (id === ADA.id ? ADA : undefined),
  create: (input) => ({ ...ADA, ...input }),
  update: (id, changes) => (id === ADA.id ? { ...ADA, ...changes } : undefined),
  delete: (id) => id === ADA.id,
  metrics: [],
  check: () => undefined,
  close: () => undefined,
};

const JSON_TYPE = { 'Content-Type': 'application/json' };
const send = (method: string, body: string, headers: Record<string, string> = JSON_TYPE) => ({
  method,
  body,
  headers,
});

const requests: [string, string, RequestInit?][] = [
  '/api/users',
  '/api/v1/users',
  '/api/v2/users',
].flatMap((users): [string, string, RequestInit?][] => [
  ['the list', users],
  ['a page', `${users}?page=2&limit=5`],
  ['a user', `${users}/${ADA.id}`],
  ['a user as HTML', `${users}/${ADA.id}`, { headers: { Accept: 'text/html' } }],
  ['an unknown user', `${users}/nobody`],
  ['a create', users, send('POST', '{"name":"Ada","email":"a@b"}')],
  ['a create without an email', users, send('POST', '{"name":"Ada"}')],
  ['a create without a body', users, { method: 'POST' }],
  [
    'a create with another content type',
    users,
    send('POST', 'name=Ada', { 'Content-Type': 'text/plain' }),
  ],
  ['an update', `${users}/${ADA.id}`, send('PUT', '{"name":"É"}')],
  ['an update of an unknown user', `${users}/nobody`, send('PUT', '{}')],
  ['malformed JSON', users, send('POST', '{"name":')],
  ['a forbidden key', users, send('POST', '{"__proto__":{}}')],
  ['a body over the limit', users, send('POST', `"${'a'.repeat(1_048_576)}"`)],
  [
    'an unknown charset',
    users,
    send('POST', '{}', { 'Content-Type': 'application/json; charset=x' }),
  ],
  ['an unknown encoding', users, send('POST', '{}', { ...JSON_TYPE, 'Content-Encoding': 'zip' })],
  ['a delete', `${users}/${ADA.id}`, { method: 'DELETE' }],
  ['a delete of an unknown user', `${users}/nobody`, { method: 'DELETE' }],
  ['a HEAD', users, { method: 'HEAD' }],
  ['a HEAD of an unknown user', `${users}/nobody`, { method: 'HEAD' }],
  ['OPTIONS', users, { method: 'OPTIONS' }],
  ['another method', users, { method: 'PATCH' }],
  ['a malformed escape', `${users}/%c3%28`],
  ['an escaped slash', `${users}/a%2Fb`],
  ['a trailing slash', `${users}/`],
  ['an unknown path', `${users}/a/b`],
]);

/** Reads a whole response except its date and request ID. */
async function readAll(response: Response) {
  const headers = [...response.headers].filter(
    ([name]) => !['date', 'x-request-id'].includes(name),
  );
  return {
    status: response.status,
    statusText: response.statusText,
    headers,
    bytes: Buffer.from(await response.arrayBuffer()).toString('latin1'),
  };
}

describe('an in-process call returns the same response as a call over a socket', () => {
  it.each(requests)('%s: %s', async (_what, path, init) => {
    const { app } = await createApps({ store: ONE_USER });
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const inProcess = await readAll(await app.request(path, init));
    // fetch() requests `Connection: close` for a HEAD. An in-process call has no connection.
    const overSocket = await readAll(await fetch(server.url + path, init));
    const hopByHop = (name: string) => ['connection', 'keep-alive'].includes(name);
    const endToEnd = ({ headers }: { headers: [string, string][] }) =>
      headers.filter(([name]) => !hopByHop(name));
    expect({ ...inProcess, headers: endToEnd(inProcess) }).toEqual({
      ...overSocket,
      headers: endToEnd(overSocket),
    });
    expect(inProcess.status).toBeLessThan(500);
  });
});
