import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeRoutes } from '@fairlead/controllers';
import { admin, api, request } from './api.ts';

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
  assert.equal(created.status, 201);
  const account = { id: 2, email: ada.email, role: 'user' };
  assert.deepEqual(await created.json(), account);
  assert.deepEqual(await (await getAs(ada, '/api/accounts/me')).json(), account);
});

it('rejects a second account with the same address', async () => {
  await signUp(ada);
  assert.equal((await signUp({ ...ada, email: 'ADA@example.com' })).status, 409);
  const next = await signUp({ ...ada, email: 'bob@example.com' });
  assert.partialDeepStrictEqual(await next.json(), { id: 3 });
});

it('rejects a wrong password and an unknown address in the same way', async () => {
  const wrong = await signIn({ ...admin, password: 'not the password' });
  const short = await signIn({ ...admin, password: 'x' });
  const unknown = await signIn(ada);
  assert.deepEqual([wrong.status, short.status, unknown.status], [401, 401, 401]);
  assert.deepEqual(await wrong.json(), await unknown.json());
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
  assert.equal((await api.request('/api/accounts/me', { headers })).status, 200);
  assert.equal((await send('refresh', first.refreshToken)).status, 401);
  assert.equal((await send('refresh', second.refreshToken)).status, 401);
});

it('signs out', async () => {
  const { refreshToken } = await tokensOf(await signIn(admin));
  assert.equal((await send('sign-out', refreshToken)).status, 204);
  assert.equal((await send('refresh', refreshToken)).status, 401);
});

it('limits failed attempts', async () => {
  const attempts = Array.from({ length: 10 }, () => signIn({ ...ada, password: 'x' }));
  await Promise.all(attempts);
  assert.equal((await signIn(admin)).status, 429);
});

it('rejects a forged token', async () => {
  const headers = { Authorization: 'Bearer forged' };
  assert.equal((await api.request('/api/accounts/me', { headers })).status, 401);
});

it('requires a token for every route of a controller but sign-up and those of sign-ins', () => {
  const routes = describeRoutes(api.app).filter(({ definition }) => definition !== undefined);
  const open = routes.filter(({ guards }) => !guards.includes('jwt'));
  const paths = open.map(({ method, path }) => `${method} ${path}`);
  const tokens = ['', '/refresh', '/sign-out'].map((path) => `POST /api/tokens${path}`);
  assert.deepEqual(paths.sort(), ['POST /api/accounts', ...tokens]);
});

it('lists accounts for administrators only', async () => {
  await signUp(ada);
  assert.equal((await getAs(ada, '/api/accounts')).status, 403);
  const accounts = await (await getAs(admin, '/api/accounts')).json();
  assert.partialDeepStrictEqual(accounts, [{ id: 1 }, { id: 2 }]);
});
