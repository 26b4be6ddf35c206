import { once } from 'node:events';
import { Agent, get, request } from 'node:http';
import type { Socket } from 'node:net';
import { cert, key } from '@fairlead/test-support/certificate';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createApp, type ListenOptions, type Server } from '../src/index.js';
import { serve } from './support/serve.js';

const hello = () => createApp().use((ctx) => ctx.send('hello'));

/** Serves WebSocket connections that echo, next to an application. */
async function serveEcho(options: ListenOptions = {}) {
  const server = await serve(hello(), options);
  const sockets = new WebSocketServer({ server: server.node });
  sockets.on('connection', (socket) => {
    socket.on('message', (data) => socket.send(data.toString()));
  });
  return { server, sockets };
}

async function open({ url }: Server): Promise<WebSocket> {
  const client = new WebSocket(url.replace('http', 'ws'), { ca: cert });
  onTestFinished(() => client.terminate());
  await once(client, 'open');
  return client;
}

async function echo(client: WebSocket, text: string): Promise<string> {
  client.send(text);
  const [data] = await once(client, 'message');
  return data.toString();
}

describe('a WebSocket library', () => {
  it.each<[string, ListenOptions]>([
    ['http', {}],
    ['https', { tls: { key, cert } }],
  ])('attaches to the server: %s', async (_, options) => {
    const { server } = await serveEcho(options);
    expect(await echo(await open(server), 'hi')).toBe('hi');
  });

  it('leaves requests to the application', async () => {
    const { server } = await serveEcho();
    await open(server);
    expect(await (await fetch(server.url)).text()).toBe('hello');
  });

  it('keeps a connection past the timeouts of HTTP, even one that has served requests', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { server } = await serveEcho({ keepAliveTimeout: 10_000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = get(server.url, { agent });
    await once(first, 'response').then(([reply]) => once(reply.resume(), 'end'));
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version': '13',
    };
    const [, socket] = await once(get(server.url, { agent, headers }), 'upgrade');
    onTestFinished(() => socket.destroy());
    const [ping, pong] = [Buffer.of(0x89, 0x80, 0, 0, 0, 0), Buffer.of(0x8a, 0)];
    // Each frame looks like the start of a slow request.
    for (let count = 0; count < 20; count += 1) {
      vi.advanceTimersByTime(1_000);
      socket.write(ping);
      expect(await once(socket, 'data')).toEqual([pong]);
    }
  });

  it('gives requests back to the application when it detaches', async () => {
    const { server, sockets } = await serveEcho();
    const count = server.node.listenerCount('upgrade');
    sockets.close();
    expect(server.node.listenerCount('upgrade')).toBe(count - 1);
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' };
    const [reply] = await once(get(server.url, { headers, agent: false }), 'response');
    expect(reply.statusCode).toBe(200);
    reply.resume();
  });
});

describe('a CONNECT request', () => {
  const method = 'CONNECT';
  const path = 'example.com:443';

  it('closes the connection when the server has no listener', async () => {
    const { port } = await serve(hello());
    await expect(once(request({ port, method, path }).end(), 'connect')).rejects.toThrow('hang up');
  });

  it('gives a listener the connection, past the timeouts of HTTP', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { node, url } = await serve(hello(), { keepAliveTimeout: 10_000 });
    node.on('connect', (_, socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(socket);
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [reply] = await once(get(url, { agent }), 'response');
    await once(reply.resume(), 'end');
    const [, socket] = await once(request(url, { method, path, agent }).end(), 'connect');
    onTestFinished(() => socket.destroy());
    for (let count = 0; count < 20; count += 1) {
      vi.advanceTimersByTime(1_000);
      socket.write('ping');
      expect(String(await once(socket, 'data'))).toBe('ping');
    }
  });
});

describe('closing a server with WebSocket connections', () => {
  it.each<[string, ListenOptions]>([
    ['http', {}],
    ['https', { tls: { key, cert } }],
  ])('waits until they close after the notification: %s', async (_, options) => {
    const { server, sockets } = await serveEcho(options);
    server.closing.addEventListener('abort', () => {
      for (const socket of sockets.clients) socket.close(1001);
    });
    const client = await open(server);
    const ended = once(client, 'close');
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    expect(await ended).toEqual([1001, expect.anything()]);
  });

  it.each<[string, ListenOptions]>([
    ['http', {}],
    ['https', { tls: { key, cert } }],
  ])('destroys them at the deadline: %s', async (_, options) => {
    const { server } = await serveEcho(options);
    const client = await open(server);
    const ended = once(client, 'close');
    await server.close({ timeout: 10 });
    expect(await ended).toEqual([1006, expect.anything()]);
  });
});
