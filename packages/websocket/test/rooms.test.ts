import { createApp, intended } from '@fairlead/core';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { describe, expect, it, vi } from 'vitest';
import {
  type BroadcastAdapter,
  createRooms,
  type Rooms,
  type WebSocketConnection,
  websocket,
} from '../src/index.js';
import { redisAdapter } from '../src/redis.js';
import { open, serve } from './support.js';

/** Opens connections, and collects what their clients receive. */
async function connectTo(count: number) {
  const sockets: WebSocketConnection[] = [];
  const app = createApp().get(
    '/',
    websocket((socket) => void sockets.push(socket)),
  );
  const server = await serve(app);
  const received: (string | Buffer)[][] = [];
  const clients = [];
  for (let index = 0; index < count; index += 1) {
    const messages: (string | Buffer)[] = [];
    const client = await open(server, '/');
    client.on('message', (data: Buffer, isBinary) => messages.push(isBinary ? data : String(data)));
    received.push(messages);
    clients.push(client);
  }
  return { sockets: sockets as [WebSocketConnection, WebSocketConnection], clients, received };
}

describe('rooms', () => {
  it('send to their members, except one', async () => {
    const { sockets, received } = await connectTo(3);
    const rooms = createRooms();
    const [first, second] = sockets;
    await rooms.join('a', first);
    await rooms.join('a', second);
    await rooms.join('b', second);
    await rooms.send('a', 'to both');
    await rooms.send('a', Buffer.of(0, 255), { except: first });
    await rooms.send('b', 'to b', { except: first });
    await rooms.send('nobody', 'lost');
    await expect
      .poll(() => received)
      .toEqual([['to both'], ['to both', Buffer.of(0, 255), 'to b'], []]);
  });

  it('forget members that leave or close', async () => {
    const { sockets, clients, received } = await connectTo(2);
    const rooms = createRooms();
    const [first, second] = sockets;
    await rooms.join('a', first);
    await rooms.join('a', first);
    await rooms.join('a', second);
    await rooms.leave('a', first);
    await rooms.leave('a', first);
    await rooms.leave('b', first);
    await rooms.send('a', 'after');
    await expect.poll(() => received).toEqual([[], ['after']]);
    clients[1]?.close();
    await second.closed;
    await expect.poll(() => rooms.membersOf('a').size).toBe(0);
    await rooms.join('a', second);
    expect(rooms.membersOf('a').size).toBe(0);
  });

  it('free what they have of a room without members', async () => {
    const { sockets } = await connectTo(1);
    const rooms = createRooms();
    const heap = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let count = 0; count < 50; count += 1) {
      const name = `${count} `.padEnd(1_000_000);
      await rooms.join(name, sockets[0]);
      await rooms.leave(name, sockets[0]);
    }
    expect(heap() - before).toBeLessThan(10_000_000);
    expect(sockets[0].isOpen).toBe(true);
  });

  it('subscribe with the first member, and unsubscribe after the last', async () => {
    const calls: string[] = [];
    const adapter: BroadcastAdapter = {
      publish: async (channel) => void calls.push(`publish ${channel}`),
      subscribe: async (channel) => {
        calls.push(`subscribe ${channel}`);
        return async () => void calls.push(`unsubscribe ${channel}`);
      },
    };
    const { sockets } = await connectTo(2);
    const rooms = createRooms({ adapter });
    const [first, second] = sockets;
    await Promise.all([rooms.join('a', first), rooms.join('a', second)]);
    await rooms.leave('a', first);
    await rooms.send('a', 'x');
    await rooms.leave('a', second);
    await rooms.join('a', first);
    expect(calls).toEqual(['subscribe a', 'publish a', 'unsubscribe a', 'subscribe a']);
  });

  it('reject what the adapter rejects, and recover', async () => {
    let failure: Error | undefined = new Error('Down.');
    const fail = async () => {
      if (failure !== undefined) throw failure;
    };
    const adapter: BroadcastAdapter = {
      publish: fail,
      subscribe: async () => {
        await fail();
        return fail;
      },
    };
    const errors: unknown[] = [];
    const { sockets } = await connectTo(1);
    const rooms = createRooms({ adapter, onError: (error) => void errors.push(error) });
    const [socket] = sockets;
    await expect(rooms.join('a', socket)).rejects.toBe(failure);
    expect(rooms.membersOf('a').size).toBe(0);
    await expect(rooms.send('a', 'x')).rejects.toBe(failure);
    failure = undefined;
    await rooms.join('a', socket);
    expect(rooms.membersOf('a').size).toBe(1);
    failure = new Error('Down again.');
    await rooms.leave('a', socket);
    expect(errors).toEqual([failure]);
  });

  it.each(['{', 'null', '{"text":7}', '[]'])('survive foreign messages: %s', async (message) => {
    let deliver: (message: string) => void = () => undefined;
    const adapter: BroadcastAdapter = {
      publish: async (_, text) => deliver(text),
      subscribe: async (_, listener) => {
        deliver = listener;
        return async () => undefined;
      },
    };
    const errors: unknown[] = [];
    const { sockets, received } = await connectTo(1);
    const rooms = createRooms({ adapter, onError: (error) => void errors.push(error) });
    await rooms.join('a', sockets[0]);
    deliver(message);
    await rooms.send('a', 'next');
    await expect.poll(() => received[0]?.at(-1)).toBe('next');
    expect(received[0]).toHaveLength(1);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('Check who else') }),
    ]);
  });

  it('refuse other messages than strings and bytes', async () => {
    const rooms: Rooms = createRooms();
    await expect(rooms.send('a', { b: 1 } as never)).rejects.toThrow(
      'Pass a string or a Uint8Array',
    );
  });
});

it.each<[string, () => unknown]>([
  ['INVALID_OPTION', () => createRooms({ adaptor: 1 } as object)],
  ['INVALID_OPTION', () => createRooms({ adapter: {} as never })],
  ['INVALID_OPTION', () => redisAdapter({} as never)],
  ['INVALID_OPTION', () => redisAdapter({ publisher: {}, subscriber: {} } as never)],
  ['INVALID_OPTION', () => redisAdapter({ client: 1 } as never)],
])('wrong options are %s', (code, call) => {
  expect(call).toThrow(expect.objectContaining({ code }));
});

it('redisAdapter() warns about one client that publishes and subscribes, unless it is intended', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const client = () => ({
    publish: async () => 0,
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
  });
  const one = client();
  redisAdapter({ publisher: one, subscriber: one });
  const both = intended(client());
  redisAdapter({ publisher: both, subscriber: both });
  redisAdapter({ publisher: client(), subscriber: client() });
  const messages = emit.mock.calls.map(([message]) => String(message));
  emit.mockRestore();
  expect(messages).toEqual([
    expect.stringMatching(
      /^redisAdapter\(\) received one client as publisher and subscriber.*Pass publisher\.duplicate\(\) as the subscriber.*At: test\/rooms\.test\.ts:/s,
    ),
  ]);
});
