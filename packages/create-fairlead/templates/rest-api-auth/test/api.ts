import { createLogger } from '@fairlead/pino';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { beforeEach } from 'vitest';
import { createTasksApi } from '../src/app.js';
import { Config } from '../src/config.js';
import { Passwords } from '../src/passwords.js';
import { Tokens } from '../src/tokens.js';
import { createTestDatabase } from './test-database.js';

export const admin = { email: 'admin@example.com', password: 'the password of the admin' };

/** The API of the current test, with a new database. */
export let api: TestApp;

beforeEach(async ({ onTestFinished }) => {
  const { settings, drop } = await createTestDatabase();
  onTestFinished(drop);
  const config = new Config({
    ...settings,
    JWT_SECRET: 'a secret of at least thirty-two bytes',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  });
  const logger = createLogger({ level: 'silent' });
  api = await createTestApp({
    app: (container) => createTasksApi(container, { config, logger }),
    // Hashes in milliseconds.
    overrides: [[Passwords, { useValue: new Passwords(2 ** 10) }]],
  });
  onTestFinished(() => api.close());
});

/** Sends a request as the administrator, unless its headers contain another token. */
export const request: TestApp['request'] = async (path, init) => {
  const tokens = api.container.resolve(Tokens);
  const { token } = await tokens.issue({ id: 1, email: admin.email, role: 'admin' });
  const headers = new Headers(init?.headers);
  if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`);
  return api.request(path, { ...init, headers });
};
