import {
  Controller,
  controllersPlugin,
  describeRoutes,
  Get,
  type Interceptor,
  Param,
  UseGuard,
  UseInterceptor,
} from '@fairlead/controllers';
import { type Context, createApp, createRouter } from '@fairlead/core';
import { createContainer, Service, token } from '@fairlead/di';
import { createDocument } from '@fairlead/openapi';
import { createTestApp } from '@fairlead/testing';
import { describe, expect, it, vi } from 'vitest';
import { createRooms, Rooms, type WebSocketConnection, websocketUpgrade } from '../src/index.js';
import { closing, connect, next, serve } from './support.js';

const disposed: string[] = [];

@Service({ scope: 'request' })
class Greeter implements Disposable {
  #name = '';

  greet(name: string): string {
    this.#name = name;
    return `Hello ${name}`;
  }

  [Symbol.dispose](): void {
    disposed.push(this.#name);
  }
}

const isSignedIn = (ctx: Context) => ctx.get('Authorization') === 'Bearer ada';

@Controller('/rooms')
@Service({ scope: 'request' })
@UseGuard(isSignedIn)
class RoomsController {
  static readonly inject = [Rooms, Greeter] as const;

  constructor(
    private readonly rooms: Rooms,
    private readonly greeter: Greeter,
  ) {}

  @Get('/:room')
  @UseInterceptor(websocketUpgrade({ maxMessageSize: 1_000 }))
  join(@Param('room', { transform: (text: string) => text.toUpperCase() }) room: string) {
    return async (socket: WebSocketConnection) => {
      await this.rooms.join(room, socket);
      await socket.send(this.greeter.greet(room));
      for await (const message of socket) await this.rooms.send(room, message);
    };
  }

  @Get('/:room/enveloped')
  @UseInterceptor(async (_ctx, next) => ({ data: await next() }), websocketUpgrade())
  enveloped() {
    return (socket: WebSocketConnection) => socket.send('hello');
  }

  @Get('/:room/later')
  @UseInterceptor(websocketUpgrade())
  async later() {
    await new Promise(setImmediate);
    return (socket: WebSocketConnection) => socket.send('later');
  }

  @Get('/:room/broken')
  @UseInterceptor(websocketUpgrade())
  broken() {
    return 'not a function';
  }
}

const authorized = { headers: { Authorization: 'Bearer ada' } };

async function createServed() {
  const container = createContainer();
  container.register(Rooms, { useFactory: () => createRooms() });
  const router = createRouter();
  const app = createApp();
  await app.plugin(controllersPlugin({ router, container, controllers: [RoomsController] }));
  return serve(app.route('/', router));
}

describe('a WebSocket method of a controller', () => {
  it('has guards, parameters, injected services and rooms', async () => {
    const server = await createServed();
    const client = connect(server, '/rooms/blue', authorized);
    expect(await next(client)).toBe('Hello BLUE');
    const other = connect(server, '/rooms/blue', authorized);
    expect(await next(other)).toBe('Hello BLUE');
    other.send('hi');
    expect(await Promise.all([next(client), next(other)])).toEqual(['hi', 'hi']);
    other.send('a'.repeat(1_001));
    expect(await closing(other)).toMatch(/^1009/);
  });

  it('is listed as WS, and OpenAPI documents leave it out', async () => {
    const container = createContainer();
    container.register(Rooms, { useFactory: () => createRooms() });
    const router = createRouter();
    const app = createApp().route('/', router);
    await app.plugin(controllersPlugin({ router, container, controllers: [RoomsController] }));
    expect(describeRoutes(app).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'WS /rooms/:room',
      'WS /rooms/:room/enveloped',
      'WS /rooms/:room/later',
      'WS /rooms/:room/broken',
    ]);
    expect(createDocument(app, { info: { title: 'Rooms', version: '1' } }).paths).toEqual({});
  });

  it('is listed as WS when the interceptor comes from the container', async () => {
    const UPGRADE = token<Interceptor>('upgrade');
    @Service()
    class Upgrade {
      readonly intercept = websocketUpgrade();
    }
    @Controller('/sockets')
    class SocketsController {
      @Get('/token')
      @UseInterceptor(UPGRADE)
      byToken() {
        return () => undefined;
      }

      @Get('/class')
      @UseInterceptor('Upgrade')
      byClass() {
        return () => undefined;
      }
    }
    const container = createContainer()
      .register(UPGRADE, { useValue: websocketUpgrade() })
      .register('Upgrade', { useClass: Upgrade });
    const router = createRouter();
    const app = createApp().route('/', router);
    await app.plugin(controllersPlugin({ router, container, controllers: [SocketsController] }));
    const routes = describeRoutes(app).map(({ method, path }) => `${method} ${path}`);
    expect(routes).toEqual(['WS /sockets/token', 'WS /sockets/class']);
    expect(createDocument(app, { info: { title: 'Sockets', version: '1' } }).paths).toEqual({});
  });

  it('may be called by an interceptor that wraps results', async () => {
    const error = vi.spyOn(console, 'error');
    const server = await createServed();
    expect(await next(connect(server, '/rooms/blue/enveloped', authorized))).toBe('hello');
    await server.close();
    expect(error.mock.calls).toEqual([]);
  });

  it('may be asynchronous', async () => {
    const server = await createServed();
    expect(await next(connect(server, '/rooms/blue/later', authorized))).toBe('later');
  });

  it('keeps its request scope until the connection closes', async () => {
    const server = await createServed();
    const client = connect(server, '/rooms/red', authorized);
    await next(client);
    expect(disposed).not.toContain('RED');
    client.close();
    await expect.poll(() => disposed).toContain('RED');
  });
});

describe('websocketUpgrade() of a class', () => {
  @Controller('/files')
  @UseInterceptor(websocketUpgrade({ protocols: ['chat'] }))
  class FilesController {
    @Get('/talk')
    talk() {
      return (socket: WebSocketConnection) => socket.send(socket.protocol);
    }

    @Get('/upload')
    @UseInterceptor(websocketUpgrade({ protocols: ['upload'] }))
    upload() {
      return (socket: WebSocketConnection) => socket.send(socket.protocol);
    }
  }

  it('is replaced by that of a method', async () => {
    await using app = await createTestApp({ controllers: [FilesController] });
    const protocols = ['chat', 'upload'];
    const received = async (path: string) => (await app.websocket(path, { protocols })).receive();
    expect(await received('/files/talk')).toBe('chat');
    expect(await received('/files/upload')).toBe('upload');
  });

  it('fails the start beside another interceptor that opens the connection', async () => {
    @Service()
    class Upgrade {
      readonly intercept = websocketUpgrade();
    }
    @Controller('/rooms')
    @UseInterceptor(websocketUpgrade())
    class Twice {
      @Get()
      @UseInterceptor(Upgrade)
      join() {
        return () => undefined;
      }
    }
    await expect(createTestApp({ controllers: [Twice] })).rejects.toThrow(
      /^Cannot register the route Twice\.join: two of its interceptors open the WebSocket connection\.\n {2}At: .*\n {2}Fix: keep one of them\./,
    );
  });
});

describe('createTestApp().websocket()', () => {
  const create = () =>
    createTestApp({
      controllers: [RoomsController],
      register: (container) => {
        container.register(Rooms, { useFactory: () => createRooms() });
      },
    });

  it('opens a connection', async () => {
    await using app = await create();
    const socket = await app.websocket('/rooms/blue', authorized);
    expect(await socket.receive()).toBe('Hello BLUE');
    socket.send('hi');
    expect(await socket.receive()).toBe('hi');
    socket.send(Buffer.of(1));
    expect(await socket.receive()).toEqual(Buffer.of(1));
    expect(await socket.close()).toMatchObject({ code: 1_000 });
    await expect(socket.receive()).rejects.toThrow('/rooms/blue closed with code 1000');
  });

  it('rejects with the response when guards refuse', async () => {
    await using app = await create();
    const refusal = await app.websocket('/rooms/blue').catch((error) => error);
    expect(refusal).toMatchObject({ code: 'HANDSHAKE_REFUSED', name: 'RefusedHandshakeError' });
    expect(refusal.response.status).toBe(403);
    expect(await refusal.response.json()).toMatchObject({ guard: 'isSignedIn' });
  });

  it('rejects with the error of the application', async () => {
    await using app = await create();
    await expect(app.websocket('/rooms/blue/broken', authorized)).rejects.toThrow(
      'Return a function (socket, ctx)',
    );
  });

  it('closes the connection with the application', async () => {
    const app = await create();
    const socket = await app.websocket('/rooms/blue', authorized);
    await app.close();
    expect([1_001, 1_006]).toContain((await socket.closed).code);
  });
});
