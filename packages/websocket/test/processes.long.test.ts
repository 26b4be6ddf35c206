import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createApp } from '@fairlead/core';
import { type RedisServer, startRedis } from '@fairlead/test-support/redis-server';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createRooms, type WebSocketConnection, websocket } from '../src/index.js';
import { redisAdapter } from '../src/redis.js';
import { open, serve } from './support.js';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

/** A chat, whose members receive what the others send. */
const PROGRAM = `
import { createApp, listen } from '@fairlead/core';
import { createRooms, websocket } from '@fairlead/websocket';
import { redisAdapter } from '@fairlead/websocket/redis';
import { createClient } from 'redis';

const publisher = createClient({ socket: { path: process.argv[1] } });
const subscriber = publisher.duplicate();
for (const client of [publisher, subscriber]) client.on('error', () => undefined);
await Promise.all([publisher.connect(), subscriber.connect()]);
const rooms = createRooms({ adapter: redisAdapter({ publisher, subscriber }) });
const app = createApp().get('/:room', websocket(async (socket, { params: { room } }) => {
  await rooms.join(room, socket);
  await socket.send('joined');
  for await (const message of socket) await rooms.send(room, message, { except: socket });
}));
const server = await listen(app, 0, { host: '127.0.0.1' });
process.send(server.port);
`;

/** Starts the chat in a process. Returns its port. */
async function startChat(): Promise<number> {
  const flags = ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'];
  const args = [...flags, '--input-type=module', '--eval', PROGRAM, redis.path];
  const child = spawn(process.execPath, args, {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child, 'message');
  return port;
}

/** Joins a room, and collects what arrives. */
async function joinRoom(port: number, room: string) {
  const client = new WebSocket(`ws://127.0.0.1:${port}/${room}`);
  onTestFinished(() => client.terminate());
  const received: (string | Buffer)[] = [];
  client.on('message', (data: Buffer, isBinary) => received.push(isBinary ? data : String(data)));
  await expect.poll(() => received).toEqual(['joined']);
  return { client, received };
}

describe('two processes', () => {
  it('share rooms through Redis, in one order for all members', async () => {
    const [one, two] = await Promise.all([startChat(), startChat()]);
    const ada = await joinRoom(one, 'blue');
    const bob = await joinRoom(two, 'blue');
    const eve = await joinRoom(two, 'red');
    const zoe = await joinRoom(one, 'blue');
    ada.client.send('from Ada');
    await expect.poll(() => bob.received.at(-1)).toBe('from Ada');
    bob.client.send(Buffer.of(0, 255));
    await expect.poll(() => ada.received.at(-1)).toEqual(Buffer.of(0, 255));
    for (let count = 0; count < 50; count += 1) {
      ada.client.send(`a${count}`);
      bob.client.send(`b${count}`);
    }
    await expect.poll(() => zoe.received.length).toBe(103);
    await expect.poll(() => [ada.received.length, bob.received.length]).toEqual([52, 52]);
    const others = (name: string) => (text: string | Buffer) => !String(text).startsWith(name);
    expect(ada.received.slice(2)).toEqual(zoe.received.slice(3).filter(others('a')));
    expect(bob.received.slice(2)).toEqual(zoe.received.slice(3).filter(others('b')));
    expect(eve.received).toEqual(['joined']);
  });

  it('share rooms again after Redis was down', async () => {
    const [one, two] = await Promise.all([startChat(), startChat()]);
    const ada = await joinRoom(one, 'green');
    const bob = await joinRoom(two, 'green');
    await redis.kill();
    await redis.start();
    // Messages are lost until both processes have connected again.
    await expect
      .poll(
        () => {
          ada.client.send('again');
          return bob.received.at(-1);
        },
        { interval: 200 },
      )
      .toBe('again');
  });
});

it('a room with a member that joins and leaves at once keeps its subscription', async () => {
  const publisher = createClient({ socket: { path: redis.path, tls: false } });
  const subscriber = publisher.duplicate();
  await Promise.all([publisher.connect(), subscriber.connect()]);
  onTestFinished(async () => {
    await Promise.all([publisher.close(), subscriber.close()]);
  });
  const sockets: WebSocketConnection[] = [];
  const app = createApp().get(
    '/',
    websocket((socket) => void sockets.push(socket)),
  );
  const client = await open(await serve(app), '/');
  const received: string[] = [];
  client.on('message', (data) => received.push(String(data)));
  const rooms = createRooms({ adapter: redisAdapter({ publisher, subscriber, prefix: 'test:' }) });
  const [socket] = sockets as [WebSocketConnection];
  for (let count = 0; count < 20; count += 1) {
    void rooms.join('a', socket);
    void rooms.leave('a', socket);
  }
  await rooms.join('a', socket);
  await rooms.send('a', 'here');
  await expect.poll(() => received).toEqual(['here']);
  await rooms.leave('a', socket);
  await expect.poll(() => publisher.pubSubNumSub('test:a')).toEqual({ 'test:a': 0 });
});
