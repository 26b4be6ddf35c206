import { describeRoutes } from '@fairlead/controllers';
import { expect, it } from 'vitest';
import { admin, api, request } from './api.js';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

const signUp = (json: object) => api.request('/api/accounts', { method: 'POST', json });
const signIn = (json: object) => api.request('/api/tokens', { method: 'POST', json });

/** Signs in, and calls a route with the token. */
async function getAs(credentials: object, path: string) {
  const { token } = (await (await signIn(credentials)).json()) as { token: string };
  return request(path, { headers: { Authorization: `Bearer ${token}` } });
}

it('signs up and in', async () => {
  const created = await signUp({ ...ada, role: 'admin' });
  expect(created.status).toBe(201);
  const account = { id: 2, email: ada.email, role: 'user' };
  expect(await created.json()).toEqual(account);
  expect(await (await getAs(ada, '/api/accounts/me')).json()).toEqual(account);
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

/** Exchanges a refresh token, or signs out with it. */
const send = (path: string, refreshToken = '') =>
  api.request(`/api/tokens/${path}`, { method: 'POST', json: { refreshToken } });
const tokensOf = async (response: { json(): Promise<unknown> }) =>
  (await response.json()) as { token: string; refreshToken: string };

it('exchanges a refresh token once, and ends the sign-in when it is used again', async () => {
  await signUp(ada);
  const first = await tokensOf(await signIn(ada));
  const second = await tokensOf(await send('refresh', first.refreshToken));
  const headers = { Authorization: `Bearer ${second.token}` };
  expect((await api.request('/api/accounts/me', { headers })).status).toBe(200);
  expect((await send('refresh', first.refreshToken)).status).toBe(401);
  expect((await send('refresh', second.refreshToken)).status).toBe(401);
});

it('signs out', async () => {
  const { refreshToken } = await tokensOf(await signIn(admin));
  expect((await send('sign-out', refreshToken)).status).toBe(204);
  expect((await send('refresh', refreshToken)).status).toBe(401);
});

it('limits failed attempts', async () => {
  const attempts = Array.from({ length: 10 }, () => signIn({ ...ada, password: 'x' }));
  await Promise.all(attempts);
  expect((await signIn(admin)).status).toBe(429);
});

it('requires a token', async () => {
  expect((await api.request('/api/accounts/me')).status).toBe(401);
  const headers = { Authorization: 'Bearer forged' };
  expect((await api.request('/api/accounts/me', { headers })).status).toBe(401);
});

it('requires a token for every route of a controller but sign-up and those of sign-ins', () => {
  const routes = describeRoutes(api.app).filter(({ definition }) => definition !== undefined);
  const open = routes.filter(({ guards }) => !guards.includes('jwt'));
  const paths = open.map(({ method, path }) => `${method} ${path}`);
  const tokens = ['', '/refresh', '/sign-out'].map((path) => `POST /api/tokens${path}`);
  expect(paths.sort()).toEqual(['POST /api/accounts', ...tokens]);
});

it('lists accounts for administrators only', async () => {
  await signUp(ada);
  expect((await getAs(ada, '/api/accounts')).status).toBe(403);
  expect(await (await getAs(admin, '/api/accounts')).json()).toMatchObject([{ id: 1 }, { id: 2 }]);
});
