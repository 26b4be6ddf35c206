import { createLogger } from '@fairlead/pino';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { beforeEach } from 'vitest';
import { createTasksApi } from '../src/app.js';
import { Config } from '../src/config.js';
import { createTestDatabase } from './test-database.js';

/** The API of the current test, with a new database. */
export let api: TestApp;

beforeEach(async ({ onTestFinished }) => {
  const { settings, drop } = await createTestDatabase();
  onTestFinished(drop);
  const options = { config: new Config(settings), logger: createLogger({ level: 'silent' }) };
  api = await createTestApp({ app: (container) => createTasksApi(container, options) });
  onTestFinished(() => api.close());
});

export const request: TestApp['request'] = (path, init) => api.request(path, init);
