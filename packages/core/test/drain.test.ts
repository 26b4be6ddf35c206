import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApp } from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const LARGE = 32 * 1024 ** 2;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** An application whose requests wait until the test opens the gate. */
function createGate(waitFor = 1) {
  const [full, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let waiting = 0;
  const app = createApp().use(async (ctx) => {
    waiting += 1;
    if (waiting === waitFor) full.resolve();
    await gate.promise;
    ctx.send(ctx.path);
  });
  return { app, full: full.promise, open: gate.resolve };
}

const bodiesOf = (reply: string) => reply.match(/(?<=\r\n\r\n)\/\d/g);

describe('during a drain', () => {
  it('every pipelined request gets a response, and the last one closes the connection', async () => {
    const { app, full, open } = createGate(3);
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(['/1', '/2', '/3'].map((path) => GET.replace('/', path)).join(''));
    await full;
    const closed = server.close();
    await refused(server.port);
    open();
    await closed;
    const reply = await ended();
    expect(bodiesOf(reply)).toEqual(['/1', '/2', '/3']);
    expect(reply.match(/^connection: .*$/gim)).toEqual([
      'Connection: keep-alive',
      'Connection: keep-alive',
      'Connection: close',
    ]);
  });

  it('open requests on many connections all get responses', async () => {
    const { app, full, open } = createGate(200);
    const server = await serve(app);
    const connections = Array.from({ length: 200 }, () => connectRaw(server.port));
    for (const { socket } of connections) socket.write(GET);
    await full;
    const closed = server.close();
    await refused(server.port);
    open();
    const replies = await Promise.all(connections.map(({ ended }) => ended()));
    await closed;
    expect(new Set(replies.map((reply) => reply.replace(/^Date: .*$/m, ''))).size).toBe(1);
    expect(replies[0]).toMatch(/^HTTP\/1\.1 200 .*\r\nConnection: close\r\n.*\r\n\r\n\/$/s);
  });

  it('requests on earlier connections get responses, accepted or not', async () => {
    const server = await serve(createApp().use((ctx) => ctx.send(ctx.path)));
    const connections = Array.from({ length: 100 }, () => connectRaw(server.port));
    for (const { socket } of connections) socket.write(GET);
    await Promise.all(connections.map(({ socket }) => once(socket, 'connect')));
    await server.close();
    const replies = await Promise.all(connections.map(({ ended }) => ended()));
    expect(replies.filter((reply) => !reply.startsWith('HTTP/1.1 200 '))).toEqual([]);
  });

  it('a large response reaches a slow client', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serve(createApp().use((ctx) => ctx.send(Buffer.alloc(LARGE))));
    const socket = await beginReading(server.port);
    const closed = server.close();
    vi.advanceTimersByTime(5_000);
    expect(await readBytes(socket, LARGE)).toBeGreaterThanOrEqual(LARGE);
    socket.end();
    await closed;
  });

  it('the deadline disconnects a client that reads nothing', async () => {
    const server = await serve(createApp().use((ctx) => ctx.send(Buffer.alloc(LARGE))));
    const socket = await beginReading(server.port);
    await server.close({ timeout: 10 });
    await expect(readBytes(socket, LARGE)).resolves.toBeLessThan(LARGE);
  });

  it('the deadline is 10 seconds by default', async () => {
    const server = await serve(createApp());
    const setTimer = vi.spyOn(globalThis, 'setTimeout');
    await server.close();
    expect(setTimer.mock.calls.map(([, delay]) => delay)).toEqual([10_000]);
  });
});

describe('clients that send continuously', () => {
  it.each([
    ['on connections that they keep', true, ['ECONNREFUSED']],
    ['each on a separate connection', false, ['ECONNREFUSED', 'ECONNRESET']],
  ])('%s get a complete response to every accepted request', async (_, keepAlive, codes) => {
    const taken: string[] = [];
    const [busy, seenInDrain] = [Promise.withResolvers<void>(), new Set<string>()];
    let isDraining = false;
    const app = createApp().use(async (ctx) => {
      taken.push(ctx.path);
      if (isDraining) seenInDrain.add(ctx.path);
      if (taken.length === 300) busy.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      ctx.send(ctx.path);
    });
    const server = await serve(app);
    const clients = Array.from({ length: 20 }, (_, id) => sendOn(server.port, id, keepAlive));
    await busy.promise;
    const closed = server.close();
    await refused(server.port);
    isDraining = true;
    await closed;
    const outcomes = await Promise.all(clients);
    const replies = outcomes.flatMap((outcome) => outcome.replies);
    const whole = replies.filter(({ path, text }) => text === path).map(({ path }) => path);
    expect(whole.sort()).toEqual(taken.sort());
    const inDrain = replies.filter(({ path }) => seenInDrain.has(path));
    expect(new Set(inDrain.map(({ connection }) => connection))).not.toContain('keep-alive');
    expect(codes).toEqual(expect.arrayContaining(outcomes.map(({ code }) => code)));
  });
});

/** Requests a large response, and stops reading after its first bytes. */
async function beginReading(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(GET);
  await once(socket, 'readable');
  return socket;
}

/** Reads at least `count` bytes, or all that arrive. Returns their number. */
async function readBytes(socket: Socket, count: number): Promise<number> {
  let received = 0;
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received += chunk.length;
      if (received >= count) break;
    }
  } catch {
    // The server has reset the connection.
  }
  return received;
}

interface Outcome {
  readonly replies: { path: string; text: string; connection: string | undefined }[];
  /** Code of the error that stopped the client. */
  readonly code: string | undefined;
}

/** Sends one request after another until one fails. */
async function sendOn(port: number, id: number, keepAlive: boolean): Promise<Outcome> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  const replies: Outcome['replies'] = [];
  try {
    for (let count = 0; ; count += 1) {
      const path = `/${id}-${count}`;
      const outgoing = request({ host: '127.0.0.1', port, path, agent }).end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const text = Buffer.concat(await incoming.toArray()).toString();
      replies.push({ path, text, connection: incoming.headers.connection });
    }
  } catch (error) {
    return { replies, code: (error as NodeJS.ErrnoException).code };
  } finally {
    agent.destroy();
  }
}
