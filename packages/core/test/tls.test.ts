import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { cert, key } from '@fairlead/test-support/certificate';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Application,
  type Context,
  createApp,
  json,
  type ListenOptions,
  listen,
} from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LARGE = 32 * 1024 ** 2;

const echo = () =>
  createApp().use(json(), (ctx) => ctx.json([ctx.protocol, ctx.ip, ctx.path, ctx.body ?? null]));

const serveTls = (app: Application, options: ListenOptions = {}) =>
  serve(app, { tls: { key, cert }, ...options });

const connectTls = (port: number) =>
  connectRaw(port, connect({ port, host: '127.0.0.1', ca: cert }));

const statusesOf = (reply: string) => reply.match(/(?<=^HTTP\/1\.1 )\d+/gm);

describe('a server with tls', () => {
  it('serves HTTPS at its url', async () => {
    const server = await serveTls(echo());
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`);
    const outgoing = request(`${server.url}/a`, { method: 'POST', ca: cert, agent: false });
    outgoing.setHeader('Content-Type', 'application/json');
    outgoing.end(JSON.stringify('x'.repeat(1_000_000)));
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await incoming.toArray()).toString();
    expect(JSON.parse(text)).toEqual(['https', '127.0.0.1', '/a', 'x'.repeat(1_000_000)]);
  });

  it('responds to pipelined requests in order', async () => {
    const { port } = await serveTls(echo());
    const { socket, responses } = connectTls(port);
    socket.write(['/1', '/2', '/3'].map((path) => GET.replace('/', path)).join(''));
    const replies = await responses(3);
    expect(replies.map((reply) => reply.match(/"(\/\d)"/)?.[1])).toEqual(['/1', '/2', '/3']);
    expect(replies[2]).toContain('\r\nKeep-Alive: timeout=72\r\n');
    socket.destroy();
  });

  it.each<[string, string, ListenOptions, string[]]>([
    [
      'a long target',
      `GET /${'a'.repeat(100)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      { maxTargetSize: 50 },
      ['414'],
    ],
    [
      'many headers',
      'GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n\r\n',
      { maxHeaders: 2 },
      ['431'],
    ],
    ['long headers', `GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, {}, ['431']],
    ['invalid bytes', 'hello\r\n\r\n', {}, ['400']],
    [
      'slow headers',
      'GET / HTTP/1.1\r\n',
      // The handshake, which by default has as much time as the headers, takes longer on a busy machine.
      { headersTimeout: 100, requestTimeout: 100, tls: { key, cert, handshakeTimeout: 60_000 } },
      ['408'],
    ],
    ['an idle connection', GET, { keepAliveTimeout: 100 }, ['200']],
  ])('limits %s', async (_, text, options, statuses) => {
    const { port } = await serveTls(echo(), options);
    const { socket, ended } = connectTls(port);
    socket.write(text);
    expect(statusesOf(await ended())).toEqual(statuses);
  });

  /** Requests a large response, and stops reading before it arrives. */
  async function stall(writeTimeout: number) {
    const begun = Promise.withResolvers<Context>();
    const app = createApp().use((ctx) => {
      begun.resolve(ctx);
      ctx.send('x'.repeat(LARGE));
    });
    const { port } = await serveTls(app, { writeTimeout });
    const { socket } = connectTls(port);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write(GET);
    return { ctx: await begun.promise, socket };
  }

  it('closes a connection whose client reads nothing', async () => {
    const { ctx } = await stall(100);
    await new Promise<void>((resolve) => ctx.res.once('close', resolve));
    expect(ctx.req.socket.destroyed).toBe(true);
  });

  it('keeps a connection whose client reads slowly', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { socket } = await stall(1_000);
    let [received, pausedAt] = [0, 0];
    socket.on('data', (text: string) => {
      received += text.length;
      if (received - pausedAt >= 1_000_000) socket.pause();
    });
    while (received < LARGE) {
      pausedAt = received;
      socket.resume();
      await vi.waitUntil(() => socket.isPaused() || received >= LARGE);
      vi.advanceTimersByTime(250);
      for (let count = 0; count < 3; count += 1) await new Promise((done) => setImmediate(done));
    }
    expect(received).toBeGreaterThanOrEqual(LARGE);
  });

  it('survives plain HTTP, an early disconnect and an untrusting client', async () => {
    const { port } = await serveTls(echo());
    const plain = connectRaw(port);
    plain.socket.write(GET);
    expect(await plain.ended()).toBe('');
    const early = connectTcp(port, '127.0.0.1');
    await once(early, 'connect');
    early.destroy();
    const [error] = await once(connect({ port, host: '127.0.0.1' }), 'error');
    expect(error).toHaveProperty('code', 'DEPTH_ZERO_SELF_SIGNED_CERT');
    const { socket, responses } = connectTls(port);
    socket.write(GET);
    expect(await responses(1)).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 /)]);
    socket.destroy();
  });

  it('limits the time of a handshake', async () => {
    const { node, port } = await serveTls(echo(), { headersTimeout: 100 });
    const failed = new Promise((resolve) => {
      node.once('clientError', (_, socket) => resolve(socket.destroyed));
    });
    expect(await connectRaw(port).ended()).toBe('');
    // Without waiting for the client to read a response.
    expect(await failed).toBe(true);
  });
});

describe('closing a server with tls', () => {
  it('responds to open requests, and closes idle connections and handshakes', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = createApp().use(async (ctx) => {
      if (ctx.path === '/open') {
        begun.resolve();
        await gate.promise;
      }
      ctx.send(ctx.path);
    });
    const server = await serveTls(app);
    const [open, idle, unused, handshake] = [
      connectTls(server.port),
      connectTls(server.port),
      connectTls(server.port),
      connectRaw(server.port),
    ];
    await Promise.all([once(unused.socket, 'secureConnect'), once(handshake.socket, 'connect')]);
    idle.socket.write(GET);
    await idle.responses(1);
    open.socket.write(GET.replace('/', '/open'));
    await begun.promise;
    const closed = server.close({ timeout: Number.POSITIVE_INFINITY });
    await refused(server.port);
    gate.resolve();
    await closed;
    expect(await open.ended()).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*\/open$/s);
    expect(statusesOf(await idle.ended())).toEqual(['200']);
    expect([await unused.ended(), await handshake.ended()]).toEqual(['', '']);
  });

  it('destroys busy connections and handshakes at the deadline', async () => {
    const begun = Promise.withResolvers<void>();
    const app = createApp().use(() => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const server = await serveTls(app);
    const [busy, handshake] = [connectTls(server.port), connectRaw(server.port)];
    await once(handshake.socket, 'connect');
    busy.socket.write(GET);
    await begun.promise;
    await server.close({ timeout: 10 });
    expect([await busy.ended(), await handshake.ended()]).toEqual(['', '']);
  });
});

it('passes members of the option tls to Node.js, which ignores unknown ones', async () => {
  const unknown = { postQuantum: true, requestcert: true };
  const { url } = await serve(createApp(), { tls: { key, cert, ...unknown } });
  expect(url).toMatch(/^https:/);
});

describe('the option tls', () => {
  it.each<[string, ListenOptions['tls'], RegExp]>([
    ['no certificate', {}, /: it has no certificate\. Pass tls: \{ key, cert \}\.$/],
    ['an undefined certificate', { key, cert: undefined }, /it has no certificate/],
    ['a certificate without a key', { cert }, /it has no key for the certificate/],
    ['a misspelled key', { cert, ...{ Key: key } }, /it has no key for the certificate/],
    ['a malformed certificate', { key, cert: 'x' }, /: .+\. Check the key and the certificate\.$/],
    [
      'a key of another certificate',
      { key: otherKey(), cert },
      /Check the key and the certificate/,
    ],
  ])('refuses %s', async (_, tls, message) => {
    await expect(listen(createApp(), 0, { tls: tls ?? {} })).rejects.toMatchObject({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: expect.stringMatching(message),
    });
  });
});

function otherKey(): string {
  const { generateKeyPairSync } = process.getBuiltinModule('node:crypto');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
