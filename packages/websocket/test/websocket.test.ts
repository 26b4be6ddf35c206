import { once } from 'node:events';
import { describeRoutes } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  ForbiddenError,
  HttpError,
  type RequestOutcome,
} from '@fairlead/core';
import { createDocument } from '@fairlead/openapi';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import {
  type CloseReason,
  type WebSocketConnection,
  type WebSocketOptions,
  websocket,
} from '../src/index.js';
import { closing, connect, handshake, next, open, serve } from './support.js';

/** Sends every message back. */
async function echo(socket: WebSocketConnection): Promise<void> {
  for await (const message of socket) await socket.send(message);
}

describe('a WebSocket route', () => {
  it('receives text as strings and other messages as buffers, in order', async () => {
    const received: (string | Buffer)[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const app = createApp().get(
      '/',
      websocket(async (socket) => {
        for await (const message of socket) received.push(message);
        resolve();
      }),
    );
    const client = await open(await serve(app), '/');
    client.send('text');
    client.send(Buffer.of(0, 255));
    client.send('');
    client.close();
    await done;
    expect(received).toEqual(['text', Buffer.of(0, 255), '']);
  });

  it('has typed parameters, the state of middleware and an application mounted anywhere', async () => {
    const router = createRouter().get(
      '/rooms/:room',
      (ctx: { state: { user?: string } }, next) => {
        ctx.state.user = 'Ada';
        return next();
      },
      websocket((socket, ctx) => {
        const room: string = ctx.params.room;
        return socket.send(`${ctx.state.user} ${room} ${ctx.query.page} ${ctx.pattern}`);
      }),
    );
    const server = await serve(createApp().route('/api', router));
    const client = connect(server, '/api/rooms/a%20b?page=2');
    expect(await next(client)).toBe('Ada a b 2 /api/rooms/:room');
  });

  it('sends text and bytes', async () => {
    const app = createApp().get(
      '/',
      websocket(async (socket) => {
        await socket.send('text');
        await socket.send(Uint8Array.of(1, 2));
      }),
    );
    const client = connect(await serve(app), '/');
    const types: boolean[] = [];
    client.on('message', (_, isBinary) => types.push(isBinary));
    await expect.poll(() => types).toEqual([false, true]);
  });

  it.each([undefined, 7, { a: 1 }, [1]])('refuses to send %j', async (value) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const app = createApp().get(
      '/',
      websocket((socket) => {
        try {
          void socket.send(value as unknown as string);
        } catch (error) {
          resolve(error);
        }
      }),
    );
    await open(await serve(app), '/');
    expect(await promise).toEqual(
      expect.objectContaining({ message: expect.stringMatching(/^Cannot send .* Pass a string/) }),
    );
  });

  it('stays open after its handler, and discards what nothing reads', async () => {
    const { promise, resolve } = Promise.withResolvers<WebSocketConnection>();
    const app = createApp().get(
      '/',
      websocket((socket) => resolve(socket)),
    );
    const client = await open(await serve(app), '/');
    const socket = await promise;
    // More than one read of the server, so that it must read again to see the ping.
    for (let count = 0; count < 50; count += 1) client.send('unread'.padEnd(10_000));
    client.ping();
    await once(client, 'pong');
    const messages = socket[Symbol.asyncIterator]();
    client.send('read');
    expect(await messages.next()).toEqual({ done: false, value: 'read' });
  });

  it('can be read in several loops', async () => {
    const app = createApp().get(
      '/',
      websocket(async (socket) => {
        for await (const name of socket) {
          await socket.send(`Hello ${name}`);
          break;
        }
        for await (const message of socket) await socket.send(`Got ${message}`);
      }),
    );
    const client = await open(await serve(app), '/');
    client.send('Ada');
    expect(await next(client)).toBe('Hello Ada');
    client.send('more');
    expect(await next(client)).toBe('Got more');
  });

  it('closes with a code and a reason of either side', async () => {
    const reasons: CloseReason[] = [];
    const app = createApp().get(
      '/',
      websocket(async (socket) => {
        for await (const message of socket) if (message === 'bye') socket.close(4_000, 'Bye.');
        reasons.push(await socket.closed);
        // Does nothing.
        await socket.send('late');
      }),
    );
    const server = await serve(app);
    const first = await open(server, '/');
    first.send('bye');
    expect(await closing(first)).toBe('4000 Bye.');
    const second = await open(server, '/');
    second.close(4_001, 'Done.');
    await closing(second);
    await expect
      .poll(() => reasons)
      .toEqual([
        { code: 4_000, reason: 'Bye.' },
        { code: 4_001, reason: 'Done.' },
      ]);
  });

  it('closes with 1000 unless the handler passes another code', async () => {
    const app = createApp().get(
      '/',
      websocket((socket) => socket.close()),
    );
    expect(await closing(connect(await serve(app), '/'))).toBe('1000');
  });

  it('opens for an Upgrade header in any case', async () => {
    const app = createApp().get('/', websocket(echo));
    const { socket } = connectRaw((await serve(app)).port);
    onTestFinished(() => void socket.destroy());
    socket.write(handshake('/', { Upgrade: 'WebSocket' }));
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 101 /);
  });

  it('closes with 1011 and reports the error when its handler fails', async () => {
    const failure = new Error('Broken.');
    const errors: unknown[] = [];
    const app = createApp({ onError: (error, ctx) => void errors.push([error, ctx.path]) }).get(
      '/fail',
      websocket(async (socket) => {
        for await (const _ of socket) throw failure;
      }),
    );
    const client = await open(await serve(app), '/fail');
    client.send('x');
    expect(await closing(client)).toBe('1011 Internal server error.');
    expect(errors).toEqual([[failure, '/fail']]);
  });

  it('is a request with status 101 until its connection closes', async () => {
    const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
    const app = createApp()
      .use((ctx, next) => {
        ctx.onFinish(resolve);
        return next();
      })
      .get('/', websocket(echo));
    const client = await open(await serve(app), '/');
    client.close();
    expect(await promise).toEqual({ status: 101, aborted: false });
  });

  it('selects the first subprotocol of the client that it speaks', async () => {
    const options: WebSocketOptions = { protocols: ['v2.chat', 'v1.chat'] };
    const app = createApp().get(
      '/',
      websocket((socket) => socket.send(socket.protocol), options),
    );
    const server = await serve(app);
    const client = connect(server, '/', {
      headers: { 'Sec-WebSocket-Protocol': 'x, v1.chat, v2.chat' },
    });
    const [reply] = await once(client, 'upgrade');
    expect(reply.headers['sec-websocket-protocol']).toBe('v1.chat');
  });

  it('is a GET route that tools list as WS and OpenAPI documents leave out', () => {
    const app = createApp()
      .get('/chat', websocket(echo))
      .get('/rooms', () => []);
    expect(app.routes()[0]).toMatchObject({ method: 'GET', pattern: '/chat' });
    expect(describeRoutes(app).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'WS /chat',
      'GET /rooms',
    ]);
    const { paths } = createDocument(app, { info: { title: 'Chat', version: '1' } });
    expect(Object.keys(paths)).toEqual(['/rooms']);
  });
});

describe('a refused handshake', () => {
  it('receives the ordinary response of middleware and routes', async () => {
    let calls = 0;
    const guard = () => {
      throw new ForbiddenError('Sign in first.');
    };
    const app = createApp({ onError: () => undefined })
      .get(
        '/chat',
        guard,
        websocket(() => {
          calls += 1;
        }),
      )
      .get('/teapot', () => {
        throw new HttpError(418, 'Tea.');
      });
    const server = await serve(app);
    for (const [path, status] of [
      ['/chat', 403],
      ['/teapot', 418],
      ['/missing', 404],
    ] as const) {
      const [, reply] = await once(connect(server, path), 'unexpected-response');
      expect(reply.statusCode).toBe(status);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      reply.resume();
    }
    expect(calls).toBe(0);
  });

  it.each([
    ['https://evil.example', undefined, 403],
    ['null', undefined, 403],
    ['http://127.0.0.1', undefined, 403],
    [undefined, undefined, 101],
    ['http://HOST', undefined, 101],
    ['https://HOST', undefined, 101],
    ['https://app.example.com', ['https://app.example.com'], 101],
    ['https://app.example.com.evil.example', ['https://app.example.com'], 403],
    ['http://app.example.com', ['https://app.example.com'], 403],
    ['http://HOST', ['https://app.example.com'], 403],
    ['https://evil.example', '*' as const, 101],
  ])('from origin %s with origins %j receives %s', async (origin, origins, status) => {
    const app = createApp().get('/', websocket(echo, origins === undefined ? {} : { origins }));
    const server = await serve(app);
    const actual = origin?.replace('HOST', `127.0.0.1:${server.port}`);
    const client = connect(server, '/', actual === undefined ? {} : { origin: actual });
    expect(await statusOf(client)).toBe(status);
  });

  it.each([
    ['https://app.example.com', 'App.Example.com:443', 101],
    ['http://app.example.com', 'app.example.com:80', 101],
    ['http://app.example.com', 'app.example.com:443', 403],
    ['ftp://app.example.com', 'app.example.com', 403],
  ])('from origin %s to the host %s receives %s', async (origin, host, status) => {
    const server = await serve(createApp().get('/', websocket(echo)));
    const client = connect(server, '/', { origin, headers: { Host: host } });
    expect(await statusOf(client)).toBe(status);
  });

  it.each([
    ['http', 'http', 1, 101],
    ['https', 'http', 1, 101],
    ['http', 'https', 1, 403],
    ['https', 'https', 1, 101],
    // Nothing says whether the proxy can be believed.
    ['http', 'https', 0, 101],
    ['https', 'https', 0, 101],
  ])(
    'from a page on %s, forwarded as %s by a proxy of which %i are trusted, receives %s',
    async (page, protocol, proxy, status) => {
      const app = createApp({ proxy }).get('/', websocket(echo));
      const server = await serve(app);
      const client = connect(server, '/', {
        origin: `${page}://127.0.0.1:${server.port}`,
        headers: { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': protocol },
      });
      expect(await statusOf(client)).toBe(status);
    },
  );
});

describe('the options', () => {
  it.each<[object, string]>([
    [{ origin: '*' }, "Did you mean 'origins'?"],
    [{ origins: ['https://app.example.com/'] }, 'origins'],
    [{ origins: ['wss://app.example.com'] }, "such as 'https://app.example.com'"],
    [{ origins: [], protocols: ['a b'] }, 'protocols'],
    [{ maxMessageSize: 0 }, 'maxMessageSize'],
    [{ maxMessageRate: '10' }, 'maxMessageRate'],
    [{ maxBufferSize: -1 }, 'maxBufferSize'],
    [{ pingInterval: 0 }, 'pingInterval'],
  ])('%j is an error', (options, message) => {
    expect(() => websocket(echo, options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('without a handler are an error', () => {
    expect(() => websocket({} as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

/** Returns the status of the response to a handshake. */
async function statusOf(client: WebSocket): Promise<unknown> {
  return Promise.race([
    once(client, 'open').then(() => 101),
    once(client, 'unexpected-response').then(([, reply]) => reply.statusCode),
  ]);
}
