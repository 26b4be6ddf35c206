import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { createApp, listen } from '@fairlead/core';
import { expect, it, onTestFinished } from 'vitest';
import { deleteCookie, readCookies, setCookie } from '../src/index.js';

const app = createApp().use((ctx) => {
  setCookie(ctx, 'visits', String(Number(readCookies(ctx).visits ?? 0) + 1));
  deleteCookie(ctx, 'old');
  ctx.send('');
});

it('reads the cookies of a request and sends those of the response', async () => {
  const server = await listen(app, 0, { host: '127.0.0.1' });
  onTestFinished(() => server.close({ timeout: 0 }));
  const response = await fetch(server.url.replace('localhost', '127.0.0.1'), {
    headers: { Cookie: 'visits=6; old=1' },
  });
  expect(response.headers.getSetCookie()).toEqual([
    'visits=7; Path=/; HttpOnly; SameSite=Lax',
    'old=; Max-Age=0; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
  ]);
});

it('a cookie set over TLS is Secure', async () => {
  const psk = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;
  const key = Buffer.alloc(32, 1);
  const server = createServer({ ...psk, pskCallback: () => key }, app.handle).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const createConnection = () =>
    connect({
      ...psk,
      port,
      pskCallback: () => ({ psk: key, identity: 'client' }),
      checkServerIdentity: () => undefined,
    });
  const outgoing = request({ createConnection }).end();
  const [response] = await once(outgoing, 'response');
  await text(response);
  expect(response.headers['set-cookie']).toEqual([
    'visits=1; Path=/; HttpOnly; Secure; SameSite=Lax',
    expect.stringContaining('; Secure;'),
  ]);
});

it.each([
  [{ proxy: 1 }, 'https', 'a=1; Path=/; HttpOnly; Secure; SameSite=Lax'],
  [{ proxy: 1 }, 'http', 'a=1; Path=/; HttpOnly; SameSite=Lax'],
  [{}, 'https', 'a=1; Path=/; HttpOnly; SameSite=Lax'],
])('with the options %j, X-Forwarded-Proto: %s sets %s', async (options, protocol, cookie) => {
  const behind = createApp(options).use((ctx) => {
    setCookie(ctx, 'a', '1');
    ctx.send('');
  });
  const response = await behind.request('/', { headers: { 'X-Forwarded-Proto': protocol } });
  expect(response.headers.getSetCookie()).toEqual([cookie]);
});
