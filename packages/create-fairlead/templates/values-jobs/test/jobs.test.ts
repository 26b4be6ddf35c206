import assert from 'node:assert/strict';
import { EventEmitter, on, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { it } from 'node:test';
import { createContainer } from '@fairlead/di';
import { createTasksApi } from '../src/app.ts';
import { Config } from '../src/config.ts';
import { Tasks } from '../src/tasks.ts';
import { createTestDatabase } from './test-database.ts';

it('calls the webhook with a new task, again if it fails', async (context) => {
  context.mock.method(console, 'error', () => {});
  const { settings, drop } = await createTestDatabase();
  const requests = new EventEmitter();
  const received = on(requests, 'task');
  const statuses = [500, 204];
  const webhook = createServer(async (request, response) => {
    requests.emit('task', await json(request), request.headers['idempotency-key']);
    response.writeHead(statuses.shift() ?? 204).end();
  }).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  const { port } = webhook.address() as AddressInfo;
  const config = new Config({
    ...settings,
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    // #if auth
    JWT_SECRET: 'a secret of at least thirty-two bytes',
    // #endif
    // #if !auth
    API_KEY: 'a key of at least thirty-two bytes',
    // #endif
  });
  const container = createContainer();
  const app = await createTasksApi(container, { config });
  try {
    const task = await container.resolve(Tasks).create({ title: 'Buy milk' });
    const first = (await received.next()).value;
    assert.deepEqual(first[0], task);
    assert.deepEqual((await received.next()).value, first);
  } finally {
    await app.close();
    webhook.close();
    await drop();
  }
});
