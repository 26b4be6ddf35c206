import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Context, createApp, type ListenOptions } from '../src/index.js';
import { serve } from './support/serve.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LARGE = 32 * 1024 ** 2;

/** Advances the clocks that measure timeouts. The event loop keeps running. */
function fakeTime(): (milliseconds: number) => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return (milliseconds) => vi.advanceTimersByTime(milliseconds);
}

/** Lets the event loop read and write pending data. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise((done) => setImmediate(done));
}

describe('writeTimeout', () => {
  /** Serves one response to a client that reads nothing. Resolves to its context and connection. */
  async function stall(respond: (ctx: Context) => void, options: ListenOptions) {
    const begun = Promise.withResolvers<Context>();
    const app = createApp().use((ctx) => {
      respond(ctx);
      begun.resolve(ctx);
    });
    const { port } = await serve(app, options);
    const { socket } = connectRaw(port);
    socket.pause();
    socket.write(GET);
    return { ctx: await begun.promise, socket };
  }

  it('closes a connection whose client accepts nothing, and aborts the signal', async () => {
    const { ctx } = await stall((ctx) => ctx.send('x'.repeat(LARGE)), { writeTimeout: 100 });
    await once(ctx.signal, 'abort');
    expect(ctx.res.destroyed).toBe(true);
  });

  it('destroys the stream of a response', async () => {
    const file = createReadStream(process.execPath);
    await stall((ctx) => ctx.send(file), { writeTimeout: 100 });
    await new Promise<void>((resolve) => file.once('close', resolve));
    expect(file.destroyed).toBe(true);
  });

  it('ends an async iterable that the client does not read', async () => {
    const ended = Promise.withResolvers<void>();
    let count = 0;
    async function* chunks() {
      try {
        for (;;) {
          count += 1;
          yield 'x'.repeat(100_000);
        }
      } finally {
        ended.resolve();
      }
    }
    await stall((ctx) => ctx.send(chunks()), { writeTimeout: 100 });
    await ended.promise;
    // The system buffers several megabytes per connection.
    expect(count * 100_000).toBeLessThan(LARGE);
  });

  it('closes a connection whose client sends requests without reading responses', async () => {
    const { ctx, socket } = await stall((ctx) => ctx.send('x'.repeat(LARGE)), {
      writeTimeout: 100,
    });
    const dripping = setInterval(() => socket.write('GET / HTTP/1.1\r\nHost: a\r\n'), 10);
    onTestFinished(() => clearInterval(dripping));
    await once(ctx.signal, 'abort');
    expect(ctx.res.destroyed).toBe(true);
  });

  it('does not apply to a client that reads a large response slowly', async () => {
    const advance = fakeTime();
    const { socket } = await stall((ctx) => ctx.send('x'.repeat(LARGE)), { writeTimeout: 1_000 });
    let received = 0;
    let pausedAt = 0;
    socket.on('data', (text: string) => {
      received += text.length;
      if (received - pausedAt >= 1_000_000) socket.pause();
    });
    while (received < LARGE) {
      pausedAt = received;
      socket.resume();
      await vi.waitUntil(() => socket.isPaused() || received >= LARGE);
      await turn();
      advance(250);
    }
    expect(received).toBeGreaterThanOrEqual(LARGE);
  });

  it('is 30 seconds by default', async () => {
    const advance = fakeTime();
    const { ctx } = await stall((ctx) => ctx.send('x'.repeat(LARGE)), {});
    // The first check records what the client has read until then.
    for (const [milliseconds, isClosed] of [
      [1_000, false],
      [29_000, false],
      [2_000, true],
    ] as const) {
      advance(milliseconds);
      await turn();
      expect(ctx.res.destroyed).toBe(isClosed);
    }
  });

  it('0 sets no limit', async () => {
    const advance = fakeTime();
    const { ctx } = await stall((ctx) => ctx.send('x'.repeat(LARGE)), { writeTimeout: 0 });
    for (let count = 0; count < 50; count += 1) {
      advance(10_000);
      await turn();
    }
    expect(ctx.res.destroyed).toBe(false);
  });

  it('does not end a response that is idle for longer', async () => {
    const advance = fakeTime();
    const source = new Readable({ read: () => undefined });
    const { ctx } = await stall((ctx) => ctx.send(source), { writeTimeout: 100 });
    for (let count = 0; count < 50; count += 1) {
      advance(1_000);
      await turn();
    }
    expect(ctx.res.destroyed).toBe(false);
  });
});

describe('a refused connection', () => {
  it('is closed even if the client keeps its side open', async () => {
    const { port } = await serve(createApp(), { headersTimeout: 100, requestTimeout: 100 });
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    const failed = new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve));
    socket.resume();
    await once(socket, 'end');
    const dripping = setInterval(() => socket.write('x'), 20);
    onTestFinished(() => clearInterval(dripping));
    expect((await failed).code).toMatch(/^(EPIPE|ECONNRESET)$/);
  });
});

describe('a request body that is still arriving after the response', () => {
  it('has until requestTimeout, not keepAliveTimeout', async () => {
    const advance = fakeTime();
    const received = { bytes: 0 };
    const app = createApp().use((ctx) => {
      ctx.bodyStream().on('data', (chunk: Buffer) => {
        received.bytes += chunk.length;
      });
      ctx.send('accepted');
    });
    const { port } = await serve(app, { keepAliveTimeout: 1_000 });
    const connection = connectRaw(port);
    connection.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n');
    await connection.responses(1);
    for (let count = 1; count <= 30; count += 1) {
      await write(connection.socket, 'x');
      await vi.waitUntil(() => received.bytes === count);
      advance(250);
      await turn();
    }
    expect(received.bytes).toBe(30);
  });
});

describe('keepAliveTimeout', () => {
  const hello = () => createApp().use((ctx) => ctx.send('hello'));

  /** A connection that has received one response. */
  async function connectIdle(options: ListenOptions) {
    const { port } = await serve(hello(), options);
    const connection = connectRaw(port);
    connection.socket.write(GET);
    await connection.responses(1);
    return connection;
  }

  it('closes a connection that receives only empty lines', async () => {
    const { socket, ended } = await connectIdle({ keepAliveTimeout: 100 });
    const dripping = setInterval(() => socket.write('\r\n'), 10);
    onTestFinished(() => clearInterval(dripping));
    await expect(ended()).resolves.toMatch(/^HTTP\/1\.1 200 /);
  });

  it('responds to a stalled request head with 408', async () => {
    const advance = fakeTime();
    const { socket, ended } = await connectIdle({ keepAliveTimeout: 1_000 });
    advance(250);
    await turn();
    await write(socket, 'GET / HT');
    for (let count = 0; count < 8; count += 1) {
      advance(250);
      await turn();
    }
    expect((await ended()).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it('keeps a connection open that sends occasional requests', async () => {
    const advance = fakeTime();
    const connection = await connectIdle({ keepAliveTimeout: 1_000 });
    for (let count = 2; count < 12; count += 1) {
      for (let step = 0; step < 3; step += 1) {
        advance(250);
        await turn();
      }
      connection.socket.write(GET);
      await connection.responses(count);
    }
    expect(await connection.responses(11)).toHaveLength(11);
  });

  it('a request that arrives in time gets a response, even if the process reads it late', async () => {
    const advance = fakeTime();
    const connection = await connectIdle({ keepAliveTimeout: 1_000 });
    advance(250);
    await turn();
    await write(connection.socket, GET);
    advance(1_500);
    expect(await connection.responses(2)).toHaveLength(2);
  });

  it.each([
    [72_000, GET, 'timeout=72'],
    [5_500, GET, 'timeout=5'],
    [0, GET, undefined],
    [72_000, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', undefined],
    [72_000, 'GET / HTTP/1.0\r\n\r\n', undefined],
  ])('of %d ms is announced', async (keepAliveTimeout, request, announced) => {
    const { port } = await serve(hello(), { keepAliveTimeout });
    const connection = connectRaw(port);
    connection.socket.write(request);
    const [response] = await connection.responses(1);
    expect(/^keep-alive: (.*)\r$/im.exec(response ?? '')?.[1]).toBe(announced);
  });
});

/** Writes bytes to the socket. */
function write(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => socket.write(text, () => resolve()));
}
