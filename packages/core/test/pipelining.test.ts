import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { type Context, createApp, json, type Server } from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);
const bodyOf = (response: string) => response.slice(response.indexOf('\r\n\r\n') + 4);
const statusesOf = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g);

/** An application that counts its requests, and responds when the test opens the gate. */
function createGate() {
  const [begun, gate] = [Promise.withResolvers<Context>(), Promise.withResolvers<void>()];
  const run: string[] = [];
  const app = createApp().use(async (ctx) => {
    if (ctx.path === '/other') return ctx.send('other');
    run.push(ctx.path);
    begun.resolve(ctx);
    await gate.promise;
    ctx.send(ctx.path);
  });
  return { app, run, begun: begun.promise, open: gate.resolve };
}

/** Sends requests on other connections, so the server has time to read the bytes that have arrived. */
async function giveTurns({ url }: Server): Promise<void> {
  for (let count = 0; count < 50; count += 1) await (await fetch(`${url}/other`)).text();
}

describe('requests of one connection', () => {
  it('run ten at a time, and all get responses in order', async () => {
    const { app, run, begun, open } = createGate();
    const server = await serve(app);
    const connection = connectRaw(server.port);
    // Several times what one read contains.
    connection.socket.write(paths(5_000).map(get).join(''));
    await begun;
    await giveTurns(server);
    expect(run).toEqual(paths(10));
    open();
    const responses = await connection.responses(5_000);
    expect(responses.map(bodyOf)).toEqual(paths(5_000));
  });

  it('do not run if they still wait when the client disconnects', async () => {
    const { app, run, begun, open } = createGate();
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write(paths(20).map(get).join(''));
    const { req } = await begun;
    await giveTurns(server);
    const closed = once(req.socket, 'close');
    socket.destroy();
    await closed;
    open();
    await giveTurns(server);
    expect(run).toEqual(paths(10));
  });

  it('run in the asynchronous context in which they arrived', async () => {
    const storage = new AsyncLocalStorage<string>();
    const app = createApp().use(async (ctx) => {
      await setImmediate();
      ctx.send(storage.getStore() ?? '');
    });
    const server = await serve(app);
    const emit = server.node.emit.bind(server.node) as (...args: unknown[]) => boolean;
    // Instrumentation replaces the method like this.
    Object.assign(server.node, {
      emit: (event: string, req: IncomingMessage, ...rest: unknown[]) =>
        storage.run(String(req?.url), () => emit(event, req, ...rest)),
    });
    const connection = connectRaw(server.port);
    connection.socket.write(paths(30).map(get).join(''));
    expect((await connection.responses(30)).map(bodyOf)).toEqual(paths(30));
  });

  it('with bodies larger than a chunk all get responses in order', async () => {
    const app = createApp().use(json(), async (ctx) => {
      await setImmediate();
      const { id, filling } = ctx.body as { id: number; filling: string };
      ctx.json([id, filling.length]);
    });
    const { port } = await serve(app);
    const connection = connectRaw(port);
    const sizes = Array.from({ length: 60 }, (_, id) => (id % 3 === 0 ? 200_000 : id));
    for (const [id, size] of sizes.entries()) {
      const body = JSON.stringify({ id, filling: 'x'.repeat(size) });
      connection.socket.write(
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    const responses = await connection.responses(sizes.length);
    expect(responses.map(bodyOf).map((text) => JSON.parse(text))).toEqual([...sizes.entries()]);
  });

  it('get responses up to malformed bytes, which get 400', async () => {
    const { port } = await serve(createApp().use(async (ctx) => ctx.send(ctx.path)));
    const connection = connectRaw(port);
    connection.socket.write(`${paths(30).map(get).join('')}rubbish\r\n\r\n`);
    expect(statusesOf(await connection.ended())).toEqual([...paths(30).map(() => '200'), '400']);
  });

  it('get responses up to a refused one', async () => {
    const { port } = await serve(createApp().use(async (ctx) => ctx.send(ctx.path)));
    const connection = connectRaw(port);
    const noHost = 'GET / HTTP/1.1\r\n\r\n';
    connection.socket.write([...paths(30).map(get), noHost, ...paths(30).map(get)].join(''));
    expect(statusesOf(await connection.ended())).toEqual([...paths(30).map(() => '200'), '400']);
  });

  it('do not run after a response that ends the connection', async () => {
    const run: string[] = [];
    const app = createApp().use((ctx) => {
      run.push(ctx.path);
      if (ctx.path === '/4') ctx.set('Connection', 'close');
      ctx.send(ctx.path);
    });
    const { port } = await serve(app);
    const connection = connectRaw(port);
    connection.socket.write(paths(100).map(get).join(''));
    expect((await connection.ended()).match(/(?<=\r\n\r\n)\/\d+/g)).toEqual(paths(5));
    expect(run).toEqual(paths(5));
  });

  it('all get responses while the server closes', async () => {
    const { app, begun, open } = createGate();
    const server = await serve(app);
    const connection = connectRaw(server.port);
    connection.socket.write(paths(40).map(get).join(''));
    await begun;
    const closed = server.close();
    await refused(server.port);
    open();
    await closed;
    const text = await connection.ended();
    expect(text.match(/(?<=\r\n\r\n)\/\d+/g)).toEqual(paths(40));
    expect(text.match(/^connection: close/gim)).toHaveLength(1);
  });
});

/** An application whose requests last until their client disconnects, with a promise of the first abort. */
function createAbortable() {
  const aborted = Promise.withResolvers<boolean>();
  const app = createApp().use(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    aborted.resolve(signal.aborted);
  });
  return { app, aborted: aborted.promise };
}

it('a client that disconnects while its requests wait aborts those that run', async () => {
  const { app, aborted } = createAbortable();
  const { port } = await serve(app);
  const { socket } = connectRaw(port);
  socket.write(paths(20).map(get).join(''), () => socket.destroy());
  expect(await aborted).toBe(true);
});

it('a connection whose many requests make no progress is closed after requestTimeout', async () => {
  const { app } = createAbortable();
  const { port } = await serve(app, { requestTimeout: 200 });
  const { socket, ended } = connectRaw(port);
  socket.write(paths(500).map(get).join(''));
  expect(await ended()).toBe('');
});

it('a connection is read until 100 requests wait besides the ten that run', async () => {
  const { app, begun } = createGate();
  const server = await serve(app);
  const { socket } = connectRaw(server.port);
  socket.write(paths(109).map(get).join(''));
  const { req } = await begun;
  await giveTurns(server);
  expect(req.socket.isPaused()).toBe(false);
  socket.write(get('/109'));
  await expect.poll(() => req.socket.isPaused()).toBe(true);
});

it('a connection with waiting requests is not read', async () => {
  const { app, begun } = createGate();
  const server = await serve(app);
  const connection = connectRaw(server.port);
  connection.socket.write(get('/flood').repeat(200_000));
  const { req } = await begun;
  await giveTurns(server);
  expect(req.socket.bytesRead).toBeLessThan(500_000);
});

it('a connection is not read after its last response, even if the client does not read it', async () => {
  const begun = Promise.withResolvers<Context>();
  const app = createApp().use((ctx) => {
    if (ctx.path === '/other') return ctx.send('other');
    begun.resolve(ctx);
    ctx.set('Connection', 'close');
    ctx.send(Buffer.alloc(32 * 1024 ** 2));
  });
  const server = await serve(app);
  const { socket } = connectRaw(server.port);
  socket.pause();
  socket.write(get('/flood').repeat(200_000));
  const { req } = await begun.promise;
  await giveTurns(server);
  expect(req.socket.bytesRead).toBeLessThan(500_000);
});
