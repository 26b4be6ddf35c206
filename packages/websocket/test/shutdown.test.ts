import { once } from 'node:events';
import { createApp } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { websocket } from '../src/index.js';
import { closing, connect, open, openRaw, serve } from './support.js';

const app = () =>
  createApp().get(
    '/',
    websocket(() => undefined),
  );

describe('server.close()', () => {
  it('closes connections with 1001 and waits for them', async () => {
    const server = await serve(app());
    const clients = await Promise.all([open(server, '/'), open(server, '/')]);
    const reasons = Promise.all(clients.map(closing));
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    expect(await reasons).toEqual(Array(2).fill('1001 The server is closing.'));
  });

  it('disconnects clients that do not confirm it at the deadline', async () => {
    const server = await serve(app());
    const { ended } = await openRaw(server, '/');
    await server.close({ timeout: 100 });
    expect(await ended()).toContain('\x03\xe9The server is closing.');
  });

  it('refuses handshakes whose middleware finishes later', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const slow = createApp()
      .use(async (_, next) => {
        start();
        await release;
        await next();
      })
      .get(
        '/',
        websocket(() => undefined),
      );
    const server = await serve(slow);
    const refused = once(connect(server, '/'), 'unexpected-response');
    await started;
    const closed = server.close({ timeout: Number.POSITIVE_INFINITY });
    server.closing.addEventListener('abort', () => resolve());
    const [, reply] = await refused;
    expect(reply.statusCode).toBe(503);
    reply.resume();
    await closed;
  });
});
