import { afterEach, beforeEach } from 'node:test';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { createTasksApi } from '../src/app.ts';
import { Config } from '../src/config.ts';
// #if auth
import { Passwords } from '../src/passwords.ts';
import { Tokens } from '../src/tokens.ts';
// #endif
// #if !memory
import { createTestDatabase } from './test-database.ts';
// #endif

// #if auth
export const admin = { email: 'admin@example.com', password: 'the password of the admin' };
// #endif
// #if !auth
const API_KEY = 'a key of at least thirty-two bytes';
// #endif

// #if memory
/** The API of the current test. */
// #endif
// #if !memory
/** The API of the current test, with a new database. */
// #endif
export let api: TestApp;
// #if !memory
let drop: () => Promise<void>;
// #endif

beforeEach(async () => {
  // #if !memory
  const database = await createTestDatabase();
  drop = database.drop;
  // #endif
  const config = new Config({
    // #if !memory
    ...database.settings,
    // #endif
    // #if auth
    JWT_SECRET: 'a secret of at least thirty-two bytes',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    // #endif
    // #if !auth
    API_KEY,
    // #endif
  });
  api = await createTestApp({
    app: (container) => createTasksApi(container, { config }),
    // #if auth
    // Hashes in milliseconds.
    overrides: [[Passwords, { useValue: new Passwords(2 ** 10) }]],
    // #endif
  });
});

afterEach(async () => {
  await api.close();
  // #if !memory
  await drop();
  // #endif
});

// #if auth
/** Sends a request as the administrator, unless its headers contain another token. */
// #endif
// #if !auth
/** Sends a request with the API key, unless its headers contain another one. */
// #endif
export const request: TestApp['request'] = async (path, init) => {
  const headers = new Headers(init?.headers);
  // #if auth
  const tokens = api.container.resolve(Tokens);
  const { token } = await tokens.issue({ id: 1, email: admin.email, role: 'admin' });
  if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${token}`);
  // #endif
  // #if !auth
  if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${API_KEY}`);
  // #endif
  return api.request(path, { ...init, headers });
};
