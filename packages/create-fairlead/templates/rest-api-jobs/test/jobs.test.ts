import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createContainer } from '@fairlead/di';
import { createLogger } from '@fairlead/pino';
import { expect, it, onTestFinished } from 'vitest';
import { createTasksApi } from '../src/app.js';
import { Config } from '../src/config.js';
import { Tasks } from '../src/tasks.js';
import { createTestDatabase } from './test-database.js';

it('calls the webhook with a new task, again if it fails', async () => {
  const { settings, drop } = await createTestDatabase();
  onTestFinished(drop);
  const received: unknown[] = [];
  const webhook = createServer(async (request, response) => {
    received.push({
      ...((await json(request)) as object),
      key: request.headers['idempotency-key'],
    });
    response.writeHead(received.length === 1 ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(webhook, 'listening');
  onTestFinished(() => void webhook.close());
  const { port } = webhook.address() as AddressInfo;
  const config = new Config({
    ...settings,
    WEBHOOK_URL: `http://127.0.0.1:${port}/`,
    // #if auth
    JWT_SECRET: 'a secret of at least thirty-two bytes',
    // #endif
  });
  const container = createContainer();
  const logger = createLogger({ level: 'silent' });
  const app = await createTasksApi(container, { config, logger });
  onTestFinished(() => app.close());
  const task = await container.resolve(Tasks).create({ title: 'Buy milk' });
  await expect.poll(() => received, { timeout: 20_000 }).toHaveLength(2);
  expect(received[0]).toMatchObject({ ...task, key: expect.any(String) });
  expect(received[1]).toEqual(received[0]);
}, 60_000);
