import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeRoutes } from '@fairlead/controllers';
import { createLogger } from '@fairlead/pino';
import { createTestApp, type TestApp } from '@fairlead/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthApi } from '../src/app.js';
import { Config } from '../src/config.js';
import { Passwords } from '../src/passwords.js';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const admin = { email: 'admin@example.com', password: 'the password of the admin' };

let folder: string;
let api: TestApp;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'auth-'));
  const config = Config.parse({
    DATABASE_PATH: join(folder, 'accounts.db'),
    JWT_SECRET: 'a secret of at least thirty-two bytes',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  });
  const logger = createLogger({ level: 'silent' });
  api = await createTestApp({
    app: (container) => createAuthApi(container, { config, logger }),
    // Hashes in milliseconds.
    overrides: [[Passwords, { useValue: new Passwords(2 ** 10) }]],
  });
});

afterEach(async () => {
  await api?.close();
  await rm(folder, { recursive: true });
});

const signUp = (json: object) => api.request('/accounts', { method: 'POST', json });
const signIn = (json: object) => api.request('/tokens', { method: 'POST', json });

/** Signs in, and calls a route with the token. */
async function getAs(credentials: object, path: string) {
  const { token } = (await (await signIn(credentials)).json()) as { token: string };
  return api.request(path, { headers: { Authorization: `Bearer ${token}` } });
}

it('signs up and in', async () => {
  const created = await signUp({ ...ada, role: 'admin' });
  expect(created.status).toBe(201);
  const account = { id: 2, email: ada.email, role: 'user' };
  expect(await created.json()).toEqual(account);
  expect(await (await getAs(ada, '/accounts/me')).json()).toEqual(account);
});

it('rejects a second account with the same address', async () => {
  await signUp(ada);
  expect((await signUp({ ...ada, email: 'ADA@example.com' })).status).toBe(409);
  const next = await signUp({ ...ada, email: 'bob@example.com' });
  expect(await next.json()).toMatchObject({ id: 3 });
});

it('rejects a wrong password and an unknown address in the same way', async () => {
  const wrong = await signIn({ ...admin, password: 'not the password' });
  const short = await signIn({ ...admin, password: 'x' });
  const unknown = await signIn(ada);
  expect([wrong.status, short.status, unknown.status]).toEqual([401, 401, 401]);
  expect(await wrong.json()).toEqual(await unknown.json());
});

it('limits failed attempts', async () => {
  const attempts = Array.from({ length: 10 }, () => signIn({ ...ada, password: 'x' }));
  await Promise.all(attempts);
  expect((await signIn(admin)).status).toBe(429);
});

it('requires a token', async () => {
  expect((await api.request('/accounts/me')).status).toBe(401);
  const headers = { Authorization: 'Bearer forged' };
  expect((await api.request('/accounts/me', { headers })).status).toBe(401);
});

it('requires a token for every route of a controller but sign-up and sign-in', () => {
  const routes = describeRoutes(api.app).filter(({ definition }) => definition !== undefined);
  const open = routes.filter(({ guards }) => !guards.includes('jwt'));
  const paths = open.map(({ method, path }) => `${method} ${path}`);
  expect(paths.sort()).toEqual(['POST /accounts', 'POST /tokens']);
});

it('lists accounts for administrators only', async () => {
  await signUp(ada);
  expect((await getAs(ada, '/accounts')).status).toBe(403);
  expect(await (await getAs(admin, '/accounts')).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
});
