import { once } from 'node:events';
import { createApp } from '@fairlead/core';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createRooms, websocket } from '../src/index.js';
import { serve } from './support.js';

it('10,000 connections that open and close leave nothing behind', async () => {
  const rooms = createRooms();
  const refs: WeakRef<object>[] = [];
  const app = createApp().get(
    '/',
    websocket(async (socket) => {
      refs.push(new WeakRef(socket));
      await rooms.join('all', socket);
      for await (const message of socket) await socket.send(message);
    }),
  );
  const server = await serve(app);
  const run = async (index: number) => {
    const client = new WebSocket(`ws://127.0.0.1:${server.port}/`, { perMessageDeflate: false });
    await once(client, 'open');
    const closed = once(client, 'close');
    if (index % 3 === 0) client.terminate();
    else if (index % 3 === 1) client.close();
    else {
      client.send('x');
      await once(client, 'message');
      client.close(4_000);
    }
    await closed;
  };
  const batch = async (count: number) => {
    for (let done = 0; done < count; done += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => run(done + index)));
    }
    await expect.poll(() => rooms.membersOf('all').size).toBe(0);
  };
  await batch(10_000);
  await collectGarbage();
  const alive = refs.filter((ref) => ref.deref() !== undefined);
  expect(refs).toHaveLength(10_000);
  expect(alive.length).toBeLessThan(100);
  expect(
    await new Promise((resolve) => server.node.getConnections((_, count) => resolve(count))),
  ).toBe(0);
});
