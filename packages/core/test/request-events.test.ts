import { once } from 'node:events';
import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import { createApp, type Middleware } from '../src/index.js';
import { serve } from './support/serve.js';

/** Requests without a body, and with one. */
const REQUESTS: readonly [string, RequestInit, string][] = [
  ['GET', {}, ''],
  ['DELETE', { method: 'DELETE' }, ''],
  ['POST without a body', { method: 'POST' }, ''],
  ['POST with a body', { method: 'POST', body: 'abc' }, 'abc'],
];

/** Ways to read a request to its end. */
const READERS: readonly [string, Middleware][] = [
  [
    "a listener for 'data' and 'end'",
    async ({ req }) => {
      let body = '';
      req.on('data', (chunk) => {
        body += chunk;
      });
      await new Promise((resolve) => req.on('end', resolve));
      return body;
    },
  ],
  [
    "addListener('end')",
    ({ req }) =>
      new Promise((resolve) => {
        let body = '';
        req.addListener('data', (chunk) => {
          body += chunk;
        });
        req.addListener('end', () => resolve(body));
      }),
  ],
  [
    "listeners for 'end' that are added one after the other",
    async ({ req }) => {
      const chunks: Buffer[] = [];
      const first = once(req, 'end');
      const second = once(req, 'end');
      req.on('data', (chunk) => chunks.push(chunk));
      await Promise.all([first, second]);
      return Buffer.concat(chunks).toString();
    },
  ],
  ['for await', ({ req }) => text(req)],
  ['pipe()', ({ req }) => text(req.pipe(new PassThrough()))],
  [
    'finished()',
    async ({ req }) => {
      const body = text(req);
      await finished(req, { writable: false });
      return body;
    },
  ],
];

describe.each(REQUESTS)('%s', (_name, init, body) => {
  it.each(READERS)('can be read with %s', async (_reader, read) => {
    const app = createApp().use(async (ctx, next) => {
      ctx.send(String(await read(ctx, next)));
    });
    const server = await serve(app);
    const response = await fetch(server.url, init);
    expect(await response.text()).toBe(body);
    expect(await (await app.request('/', init)).text()).toBe(body);
  });

  it("emits 'close' once, after the response", async () => {
    const events: string[] = [];
    const app = createApp().use((ctx) => {
      for (const event of ['aborted', 'close']) ctx.req.on(event, () => events.push(event));
      ctx.req.once('close', () => events.push('once'));
      ctx.send('');
    });
    await (await fetch((await serve(app)).url, init)).text();
    await expect.poll(() => events).toEqual(['close', 'once']);
  });

  it("emits 'aborted' and 'close' when the client disconnects", async () => {
    const events: string[] = [];
    const received = Promise.withResolvers<void>();
    const app = createApp().use(async (ctx) => {
      for (const event of ['aborted', 'close']) ctx.req.on(event, () => events.push(event));
      received.resolve();
      await once(ctx.signal, 'abort');
      ctx.send('');
    });
    const { method = 'GET' } = init;
    const sent = request((await serve(app)).url, { method }).on('error', () => undefined);
    sent.end(body);
    await received.promise;
    sent.destroy();
    await expect.poll(() => events).toEqual(['aborted', 'close']);
  });
});

it("calls no listener for 'end' that was removed", async () => {
  const calls: string[] = [];
  const app = createApp().use(async (ctx) => {
    const removed = () => void calls.push('removed');
    ctx.req.on('end', removed).off('end', removed);
    await new Promise<void>((resolve) => ctx.req.on('end', () => resolve()).resume());
    ctx.send('');
  });
  await (await fetch((await serve(app)).url)).text();
  expect(calls).toEqual([]);
});

it('emits the events of each of several pipelined requests', async () => {
  const events: string[] = [];
  const app = createApp().use(async (ctx) => {
    ctx.req.on('close', () => events.push(`close ${ctx.path}`));
    await once(ctx.req.resume(), 'end');
    events.push(`end ${ctx.path}`);
    ctx.send('');
  });
  const connection = connectRaw((await serve(app)).port);
  connection.socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => events.toSorted()).toEqual(['close /a', 'close /b', 'end /a', 'end /b']);
});

it('emits the events of a request whose methods a library has replaced', async () => {
  const events: string[] = [];
  const app = createApp().use((ctx) => {
    for (const event of ['end', 'close']) ctx.req.on(event, () => events.push(event));
    ctx.send('');
  });
  const server = await serve(app);
  server.node.prependListener('request', (req) => {
    req.on = req.on.bind(req);
    req.addListener = req.addListener.bind(req);
  });
  await (await fetch(server.url)).text();
  await expect.poll(() => events).toEqual(['end', 'close']);
});
