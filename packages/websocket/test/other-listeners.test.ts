import { once } from 'node:events';
import {
  Controller,
  controllersPlugin,
  defineController,
  Get,
  UseInterceptor,
} from '@fairlead/controllers';
import { type Application, createApp, createRouter, listen } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { Server as SocketServer } from 'socket.io';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { type WebSocketConnection, websocket, websocketUpgrade } from '../src/index.js';
import { closing, connect, next, open, serve } from './support.js';

const greet = (socket: WebSocketConnection): void => {
  socket.send('fairlead');
};

@Controller('/greeting')
class GreetingController {
  @Get()
  @UseInterceptor(websocketUpgrade())
  open() {
    return greet;
  }
}

const greetingValue = defineController('/greeting', {
  routes: ({ get }) => ({ open: get('/', websocket(greet)) }),
});

async function createControlled(controller: typeof GreetingController | typeof greetingValue) {
  const router = createRouter();
  const app = createApp();
  const container = createContainer();
  await app.plugin(controllersPlugin({ router, controllers: [controller], container }));
  return app.route('/', router);
}

const STYLES: [string, () => Promise<Application>][] = [
  ['functions', async () => createApp().get('/greeting', websocket(greet))],
  ['controllers as values', () => createControlled(greetingValue)],
  ['classes', () => createControlled(GreetingController)],
];

it.each(STYLES)('routes of %s and socket.io share a server', async (_, create) => {
  const app = (await create()).get('/hello', () => 'hello');
  const server = await serve(app);
  const io = new SocketServer(server.node, { destroyUpgradeTimeout: 1 });
  onTestFinished(() => void io.close());

  const own = connect(server, '/greeting');
  expect(await next(own)).toBe('fairlead');
  const other = connect(server, '/socket.io/?EIO=4&transport=websocket');
  expect(await next(other)).toMatch(/^0\{"sid":/);
  // socket.io ends what it does not know.
  await once(connect(server, '/unknown'), 'error');
  expect(await (await fetch(`${server.url}/hello`)).json()).toBe('hello');
  const poll = await fetch(`${server.url}/socket.io/?EIO=4&transport=polling`);
  expect(await poll.text()).toMatch(/^0\{"sid":/);
  own.send('still open');
  expect(own.readyState).toBe(own.OPEN);
});

it('a WebSocket server for all paths gets those without a route', async () => {
  const app = createApp().get('/greeting', websocket(greet));
  const server = await serve(app);
  const others = new WebSocketServer({ server: server.node });
  others.on('connection', (socket) => socket.send('other'));
  for (const [path, text] of [
    ['/greeting', 'fairlead'],
    ['/Other', 'other'],
    ['/greeting?a=1', 'fairlead'],
    ['/', 'other'],
  ] as const) {
    const client = connect(server, path);
    expect([path, await next(client)]).toEqual([path, text]);
  }
  others.close();
  const client = connect(server, '/greeting');
  expect(await next(client)).toBe('fairlead');
});

it('the shutdown closes the connections of both', async () => {
  const server = await listen(createApp().get('/greeting', websocket(greet)), 0, {
    host: '127.0.0.1',
  });
  const io = new SocketServer(server.node);
  const own = await open(server, '/greeting');
  const other = await open(server, '/socket.io/?EIO=4&transport=websocket');
  const closed = [closing(own), closing(other)];
  io.disconnectSockets(true);
  io.engine.close();
  await server.close({ timeout: 1_000 });
  expect((await Promise.all(closed))[0]).toMatch(/^1001/);
});

it.each<[string, () => Application, number]>([
  ['a WebSocket route for all paths', () => createApp().get('/*path', websocket(greet)), 1],
  ['one below a prefix', () => createApp().get('/rooms/*path', websocket(greet)), 0],
])('%s before another listener causes a warning: %i', async (_, create, count) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  onTestFinished(() => warned.mockRestore());
  const server = await serve(create());
  server.node.on('upgrade', () => undefined).on('upgrade', () => undefined);
  expect(
    warned.mock.calls.filter(([message]) => /for all paths/.test(String(message))),
  ).toHaveLength(count);
});
