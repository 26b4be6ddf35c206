import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** An application that responds when `ctx.closing` aborts. */
function createWaiting() {
  const begun = Promise.withResolvers<AbortSignal>();
  const app = createApp().use(async (ctx) => {
    begun.resolve(ctx.closing);
    await once(ctx.closing, 'abort');
    ctx.send('closing');
  });
  return { app, begun: begun.promise };
}

describe('ctx.closing', () => {
  it('aborts when the server starts closing, once its port is closed', async () => {
    const { app, begun } = createWaiting();
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(GET);
    const closing = await begun;
    expect([closing.aborted, server.closing.aborted]).toEqual([false, false]);
    const portClosed = once(server.closing, 'abort').then(() => refused(server.port));
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    await portClosed;
    expect([closing.aborted, server.closing.aborted]).toEqual([true, true]);
    expect(await ended()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*closing$/s);
  });

  it('does not abort when the server only stops listening', async () => {
    const server = await serve(createApp());
    await server.stopListening();
    expect(server.closing.aborted).toBe(false);
  });

  it('belongs to one server of an application', async () => {
    const signals: AbortSignal[] = [];
    const app = createApp().use((ctx) => {
      signals.push(ctx.closing);
      ctx.send('');
    });
    const [first, second] = [await serve(app), await serve(app)];
    for (const { port } of [first, second]) {
      const { socket, responses } = connectRaw(port);
      socket.write(GET);
      await responses(1);
    }
    await first.close();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
  });

  it('aborts for a call without a socket when the application closes', async () => {
    const { app, begun } = createWaiting();
    const pending = app.request('/');
    const closing = await begun;
    const closed = app.close();
    await expect(pending).rejects.toHaveProperty('code', 'APPLICATION_CLOSED');
    await closed;
    expect(closing.aborted).toBe(true);
  });

  it('has aborted when it is first read after the application has closed', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read = Promise.withResolvers<boolean>();
    const app = createApp().use(async (ctx) => {
      begun.resolve();
      await gate.promise;
      read.resolve(ctx.closing.aborted);
    });
    const pending = app.request('/').catch(() => undefined);
    await begun.promise;
    await app.close();
    gate.resolve();
    await pending;
    expect(await read.promise).toBe(true);
  });

  it("aborts on a user's own server when the application closes", async () => {
    const { app, begun } = createWaiting();
    app.seal();
    const server = createServer(app.handle).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { socket, responses } = connectRaw((server.address() as AddressInfo).port);
    socket.write(GET);
    await begun;
    await app.close();
    expect(await responses(1)).toEqual([expect.stringMatching(/closing$/)]);
    socket.destroy();
  });
});
