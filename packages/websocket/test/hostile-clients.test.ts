import { once } from 'node:events';
import { createApp } from '@fairlead/core';
import { exchange } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocketConnection, type WebSocketOptions, websocket } from '../src/index.js';
import {
  CLOSE,
  CONTINUATION,
  closing,
  frame,
  handshake,
  next,
  open,
  openRaw,
  PING,
  serve,
  TEXT,
} from './support.js';

/** Serves a route that sends every message back, and lists its connections. */
async function serveEcho(options: WebSocketOptions = {}) {
  const sockets: WebSocketConnection[] = [];
  const errors: unknown[] = [];
  const app = createApp({ onError: (error) => void errors.push(error) })
    .get(
      '/',
      websocket(async (socket) => {
        sockets.push(socket);
        for await (const message of socket) await socket.send(message);
      }, options),
    )
    .get('/alive', () => 'yes');
  return { server: await serve(app), sockets, errors };
}

/** The code in a close frame at the end of what a client has received. */
const closeCode = (received: string) =>
  Buffer.from(received, 'latin1')
    .toString('latin1')
    .match(/\x88.(..)/s);

describe('a bad handshake', () => {
  it.each([
    [426, { Upgrade: undefined }],
    [426, { Upgrade: 'h2c' }],
    [426, { Connection: 'keep-alive' }],
    [426, { 'Sec-WebSocket-Version': '8' }],
    [426, { 'Sec-WebSocket-Version': undefined }],
    [400, { 'Sec-WebSocket-Key': undefined }],
    [400, { 'Sec-WebSocket-Key': 'short' }],
    [400, { 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAAAAAA==' }],
    [400, { 'Sec-WebSocket-Protocol': 'a,,b' }],
    [400, { 'Sec-WebSocket-Protocol': 'a, a' }],
    [400, { 'Sec-WebSocket-Protocol': '' }],
    [400, { Host: undefined }],
    [400, { 'Content-Length': 'x' }],
  ])('receives %i: %j', async (status, changes) => {
    const { server, sockets } = await serveEcho();
    const text = handshake('/', { 'X-Last': '1', ...changes });
    const reply = await exchange(server.port, text);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} .*"status":${status}`, 's'));
    expect(sockets).toEqual([]);
  });

  it('with a 426 names the protocol and its version', async () => {
    const { server } = await serveEcho();
    const reply = await fetch(server.url);
    expect(reply.status).toBe(426);
    expect(reply.headers.get('Upgrade')).toBe('websocket');
    expect(reply.headers.get('Sec-WebSocket-Version')).toBe('13');
    expect(await reply.json()).toMatchObject({ code: 'UPGRADE_REQUIRED' });
  });

  it('is a 426 with a body or another method', async () => {
    const { server } = await serveEcho();
    const withBody = handshake('/', { 'Content-Length': '2', Connection: 'Upgrade, close' });
    expect(await exchange(server.port, `${withBody}hi`)).toMatch(/^HTTP\/1.1 426 /);
    const head = handshake('/', { Connection: 'Upgrade, close' }).replace('GET', 'HEAD');
    expect(await exchange(server.port, head)).toMatch(/^HTTP\/1.1 426 /);
    const post = handshake('/', { Connection: 'Upgrade, close' }).replace('GET', 'POST');
    expect(await exchange(server.port, post)).toMatch(/^HTTP\/1.1 405 /);
  });

  it('with any headers receives 101 or a problem, and the server keeps running', async () => {
    const { server, errors } = await serveEcho();
    const value = fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
    const names = [
      'Upgrade',
      'Sec-WebSocket-Key',
      'Sec-WebSocket-Version',
      'Sec-WebSocket-Protocol',
      'Origin',
      'Sec-WebSocket-Extensions',
    ];
    const changes = fc.dictionary(
      fc.constantFrom(...names),
      fc.oneof(value, fc.constant(undefined)),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (headers) => {
        // The server ends an open connection that sends an unmasked frame.
        const text = handshake('/', headers);
        const reply = await exchange(server.port, `${text}${'\x81\x00'}`);
        expect(reply).toMatch(/^HTTP\/1.1 (?:101 |\d+ .*application\/problem\+json)/s);
      }),
      { numRuns: 100 },
    );
    expect(errors).toEqual([]);
  });
});

describe('a bad frame', () => {
  it.each([
    ['unmasked', frame(TEXT, 'hi', { masked: false }), 1_002],
    ['with reserved bits', Buffer.of(0xf1, 0x80, 0, 0, 0, 0), 1_002],
    ['with an unknown opcode', frame(3, 'hi'), 1_002],
    ['that continues nothing', frame(CONTINUATION, 'hi'), 1_002],
    ['that is a long ping', frame(PING, 'a'.repeat(126)), 1_002],
    ['that is a close with one byte', frame(CLOSE, 'a'), 1_002],
    ['that is a close with a reserved code', frame(CLOSE, Buffer.of(3, 237)), 1_002],
    ['that is not UTF-8', frame(TEXT, Buffer.of(255)), 1_007],
    ['that is too long', frame(TEXT, 'a'.repeat(1_001)), 1_009],
    ['that announces 2^53 bytes', frame(TEXT, '', { length: 2 ** 53 }), 1_009],
  ])('%s closes the connection', async (_, bytes, code) => {
    const { server, errors } = await serveEcho({ maxMessageSize: 1_000 });
    const { socket, ended } = await openRaw(server, '/');
    socket.write(bytes);
    const closed = ended();
    await once(socket, 'data');
    socket.end();
    const received = await closed;
    expect(closeCode(received)?.[1]).toBe(Buffer.of(code >> 8, code & 255).toString('latin1'));
    expect(errors).toEqual([]);
    expect((await fetch(`${server.url}/alive`)).status).toBe(200);
  });

  it('does not exceed the limit in fragments either', async () => {
    const { server } = await serveEcho({ maxMessageSize: 1_000 });
    const { socket, ended } = await openRaw(server, '/');
    socket.write(frame(TEXT, 'a'.repeat(600), { final: false }));
    socket.write(frame(CONTINUATION, 'a'.repeat(600)));
    const closed = ended();
    await once(socket, 'data');
    socket.end();
    expect(closeCode(await closed)?.[1]).toBe('\x03\xf1');
  });

  it.each([
    [{}, 128],
    [{ maxMessageSize: 1_000 }, 128],
    [{ maxMessageSize: 204_800 }, 200],
  ])(
    'closes the connection after too many fragments: with %j, more than %i',
    async (options, limit) => {
      const { server, errors } = await serveEcho(options);
      const { socket, ended } = await openRaw(server, '/');
      const fragments = (count: number) => [
        frame(TEXT, 'a', { final: false }),
        ...Array.from({ length: count - 2 }, () => frame(CONTINUATION, 'a', { final: false })),
        frame(CONTINUATION, 'a'),
      ];
      socket.write(Buffer.concat(fragments(limit)));
      const [echo] = await once(socket, 'data');
      expect(String(echo)).toContain('a'.repeat(limit));
      socket.write(Buffer.concat(fragments(limit + 1)));
      const closed = ended();
      await once(socket, 'data');
      socket.end();
      expect(closeCode(await closed)?.[1]).toBe('\x03\xf0');
      expect(errors).toEqual([]);
    },
  );

  it('that arrives byte by byte closes the connection', async () => {
    const { server, errors } = await serveEcho();
    const connected = once(server.node, 'connection');
    const { socket, ended } = await openRaw(server, '/');
    const [peer] = await connected;
    const closed = ended();
    const sent = frame(TEXT, 'a'.repeat(1_100));
    const start = peer.bytesRead;
    for (let count = 1; count <= sent.length && !peer.writableEnded; count += 1) {
      socket.write(sent.subarray(count - 1, count));
      while (peer.bytesRead < start + count) await new Promise((done) => setImmediate(done));
    }
    socket.end();
    expect(closeCode(await closed)?.[1]).toBe('\x03\xf0');
    expect(errors).toEqual([]);
  });

  it('of random bytes never crashes the server', async () => {
    const { server, errors } = await serveEcho();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const { socket, ended } = await openRaw(server, '/');
        socket.end(bytes);
        await ended();
      }),
      { numRuns: 100 },
    );
    expect(errors).toEqual([]);
    expect((await fetch(`${server.url}/alive`)).status).toBe(200);
  });
});

describe('a client that sends too much', () => {
  it.each(['message', 'ping', 'pong'] as const)(
    'as a %s is disconnected with 1008',
    async (kind) => {
      const { server } = await serveEcho({ maxMessageRate: 1 });
      const client = await open(server, '/');
      const closed = closing(client);
      for (let count = 0; count < 11; count += 1) {
        if (kind === 'message') client.send('x');
        else client[kind]();
      }
      expect(await closed).toBe('1008 Too many messages.');
    },
  );

  it('within the average rate stays connected', async () => {
    const { server } = await serveEcho({ maxMessageRate: 1 });
    const client = await open(server, '/');
    for (let count = 0; count < 10; count += 1) {
      client.send(String(count));
      expect(await next(client)).toBe(String(count));
    }
  });

  it('must wait while the handler is busy, and loses nothing', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const received: string[] = [];
    let socket: WebSocketConnection | undefined;
    const app = createApp().get(
      '/',
      websocket(
        async (opened) => {
          socket = opened;
          await release;
          for await (const message of opened) received.push(String(message).slice(0, 6));
        },
        { maxMessageRate: 10_000 },
      ),
    );
    const server = await serve(app);
    const connected = once(server.node, 'connection');
    const client = await open(server, '/');
    const [peer] = await connected;
    const sent = Array.from({ length: 400 }, (_, index) => String(index).padStart(6, '0'));
    for (const text of sent) client.send(text + 'a'.repeat(60_000));
    const settled = async () => {
      const before = peer.bytesRead;
      for (let turn = 0; turn < 100; turn += 1) await new Promise((done) => setImmediate(done));
      return before === peer.bytesRead && before > 60_000;
    };
    await vi.waitUntil(settled, { timeout: 30_000 });
    expect(peer.bytesRead).toBeLessThan(2_000_000);
    expect(socket?.isOpen).toBe(true);
    resolve();
    await expect.poll(() => received.length).toBe(400);
    expect(received).toEqual(sent);
  });

  it('within the average rate may send while the handler is busy', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const received: string[] = [];
    const app = createApp().get(
      '/',
      websocket(
        async (socket) => {
          await release;
          for await (const message of socket) received.push(String(message));
        },
        { maxMessageRate: 2 },
      ),
    );
    const server = await serve(app);
    const connected = once(server.node, 'connection');
    const client = await open(server, '/');
    const [peer] = await connected;
    for (let count = 0; count < 16; count += 1) client.send('before');
    await vi.waitUntil(() => peer.isPaused(), { timeout: 30_000 });
    for (let count = 0; count < 30; count += 1) client.send('meanwhile');
    vi.advanceTimersByTime(100_000);
    resolve();
    await expect.poll(() => received.length).toBe(46);
  });
});

describe('a client that reads too slowly', () => {
  it('is disconnected when more than the limit waits', async () => {
    const { server, sockets } = await serveEcho({ maxBufferSize: 100_000 });
    const { socket: client } = await openRaw(server, '/');
    client.pause();
    const [socket] = sockets;
    if (socket === undefined) throw new Error('Not connected.');
    let isClosed = false;
    void socket.closed.then(() => {
      isClosed = true;
    });
    let most = 0;
    for (let count = 0; count < 2_000 && !isClosed; count += 1) {
      void socket.send('a'.repeat(50_000));
      most = Math.max(most, socket.bufferedAmount);
      await new Promise((done) => setImmediate(done));
    }
    expect(await socket.closed).toEqual({ code: 1_006, reason: '' });
    expect(most).toBeLessThan(200_000);
  });

  it('slows down a handler that awaits send()', async () => {
    const { server, sockets } = await serveEcho({ maxBufferSize: 10_000_000 });
    const client = await open(server, '/');
    client.pause();
    const [socket] = sockets;
    let sent = 0;
    const sending = (async () => {
      for (; sent < 200; sent += 1) await socket?.send('a'.repeat(100_000));
    })();
    const settled = async () => {
      const before = sent;
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
      return sent === before && (socket?.bufferedAmount ?? 0) > 0;
    };
    await vi.waitUntil(settled, { timeout: 30_000 });
    expect(sent).toBeLessThan(200);
    client.resume();
    await sending;
    expect(socket?.isOpen).toBe(true);
  });

  it('is disconnected by writeTimeout when it takes no bytes', async () => {
    const { promise, resolve } = Promise.withResolvers<WebSocketConnection>();
    const app = createApp().get(
      '/',
      websocket((socket) => resolve(socket), { maxBufferSize: 2 ** 40 }),
    );
    const server = await serve(app, { writeTimeout: 200 });
    const { socket: client } = await openRaw(server, '/');
    client.pause();
    const socket = await promise;
    for (let count = 0; count < 200; count += 1) void socket.send('a'.repeat(100_000));
    expect(await socket.closed).toEqual({ code: 1_006, reason: '' });
  });
});

describe('a client that does not react', () => {
  it('is disconnected after two pings', async () => {
    const { server, sockets } = await serveEcho({ pingInterval: 50 });
    const { ended } = await openRaw(server, '/');
    expect(await sockets[0]?.closed).toEqual({ code: 1_006, reason: '' });
    expect(await ended()).toContain('\x89\x00');
  });

  it('stays connected while it responds to pings', async () => {
    const { server, sockets } = await serveEcho({ pingInterval: 1_000 });
    const client = await open(server, '/');
    for (let count = 0; count < 3; count += 1) await once(client, 'ping');
    expect(sockets[0]?.isOpen).toBe(true);
  });

  it('is disconnected when it does not confirm that the connection closes', async () => {
    const { server, sockets } = await serveEcho();
    const raw = await openRaw(server, '/');
    sockets[0]?.close(1_000);
    await raw.ended();
    expect(await sockets[0]?.closed).toEqual({ code: 1_006, reason: '' });
  });
});
