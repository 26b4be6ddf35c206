import { defineController, describeRoutes } from '@fairlead/controllers';
import type { Context } from '@fairlead/core';
import { Service } from '@fairlead/di';
import { createTestApp } from '@fairlead/testing';
import { describe, expect, it } from 'vitest';
import { type WebSocketConnection, websocket, websocketUpgrade } from '../src/index.js';

@Service()
class Greeter {
  greet(name: string) {
    return `Hello ${name}`;
  }
}

const signedIn = (ctx: Context) => ctx.get('Authorization') === 'Bearer ada';

const rooms = defineController('/rooms', {
  inject: { greeter: Greeter },
  guards: [signedIn],
  routes: ({ get }) => ({
    greet: get(
      '/greet/:name',
      { interceptors: [websocketUpgrade()] },
      ({ params }, { greeter }) =>
        (socket: WebSocketConnection) =>
          socket.send(greeter.greet(params.name)),
    ),
    echo: get(
      '/echo/:room',
      websocket(async (socket, ctx) => {
        for await (const message of socket) await socket.send(`${ctx.params.room} ${message}`);
      }),
    ),
  }),
});

const headers = { Authorization: 'Bearer ada' };

describe('a controller as a value', () => {
  it('opens WebSocket connections with injected services', async () => {
    await using app = await createTestApp({ controllers: [rooms] });
    const socket = await app.websocket('/rooms/greet/Ada', { headers });
    expect(await socket.receive()).toBe('Hello Ada');
  });

  it('takes websocket() as a handler', async () => {
    await using app = await createTestApp({ controllers: [rooms] });
    const socket = await app.websocket('/rooms/echo/blue', { headers });
    socket.send('hi');
    expect(await socket.receive()).toBe('blue hi');
  });

  it('lets guards refuse a handshake', async () => {
    await using app = await createTestApp({ controllers: [rooms] });
    await expect(app.websocket('/rooms/echo/blue')).rejects.toThrow('403');
  });

  it('is listed with WebSocket routes', async () => {
    await using app = await createTestApp({ controllers: [rooms] });
    expect(describeRoutes(app.app).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'WS /rooms/greet/:name',
      'WS /rooms/echo/:room',
    ]);
  });
});
