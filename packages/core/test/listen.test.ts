import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { cert, key } from '@fairlead/test-support/certificate';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it } from 'vitest';
import {
  createApp,
  createRouter,
  json,
  type ListenOptions,
  listen,
  RouteConflictError,
} from '../src/index.js';
import { refused } from './support/refused.js';
import { serve } from './support/serve.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const greeter = () => createApp().use((ctx) => ctx.send('hello'));

/** An application whose handler signals its start and waits for the test. */
function createSlowApp() {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = createApp().use(async (ctx) => {
    begun.resolve();
    await go.promise;
    ctx.send('done');
  });
  return { app, begun: begun.promise, go: go.resolve };
}

describe('listen()', () => {
  it('selects a free port for 0 and is bound when it resolves', async () => {
    const { url, port } = await serve(greeter());
    expect(port).toBeGreaterThan(0);
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect(await (await fetch(url)).text()).toBe('hello');
  });

  it.each([
    [{}, 'localhost'],
    [{ host: '0.0.0.0' }, 'localhost'],
    [{ host: '127.0.0.1' }, '127.0.0.1'],
  ])('with %j has a working url', async (options, host) => {
    const server = await listen(greeter(), 0, options);
    expect(server.url).toBe(`http://${host}:${server.port}`);
    expect(await (await fetch(server.url)).text()).toBe('hello');
    await server.close({ timeout: 0 });
  });

  const openTcp = (port: number): Socket => connect(port, '127.0.0.1');
  const openTls = (port: number) => connectTls({ port, host: '127.0.0.1', ca: cert });

  it.each<[string, ListenOptions, typeof openTcp, string]>([
    ['a connection', {}, openTcp, 'hello'],
    ['a TLS connection', { tls: { key, cert } }, openTls, 'hello'],
    ['a connection without a TLS handshake', { tls: { key, cert } }, openTcp, ''],
  ])('frees %s that has closed', async (_, options, open, response) => {
    const sockets: WeakRef<Socket>[] = [];
    const { node, port } = await serve(greeter(), options);
    node.on('connection', (socket) => sockets.push(new WeakRef(socket)));
    for (let count = 0; count < 10; count += 1) {
      const { socket, ended } = connectRaw(port, open(port));
      socket.end(REQUEST);
      expect(await ended()).toContain(response);
    }
    // Node.js may keep the last one.
    const kept = () => {
      collectGarbage();
      return sockets.filter((socket) => socket.deref() !== undefined).length;
    };
    await expect.poll(kept).toBeLessThan(3);
    expect(sockets).toHaveLength(10);
  });

  it.each([
    ['GET', REQUEST],
    [
      'POST',
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    ],
  ])('retains no %s request of an idle connection', async (_, request) => {
    const requests: WeakRef<object>[] = [];
    const app = createApp()
      .use(json())
      .use((ctx) => {
        requests.push(new WeakRef(ctx.req));
        ctx.send('hello');
      });
    const { port } = await serve(app);
    for (let count = 0; count < 5; count += 1) {
      const { socket, responses } = connectRaw(port);
      socket.write(request);
      expect(await responses(1)).toHaveLength(1);
    }
    const retained = () => {
      collectGarbage();
      return requests.filter((kept) => kept.deref() !== undefined).length;
    };
    // Sooner than a check of the timeouts could free them.
    await expect.poll(retained, { timeout: 500 }).toBeLessThan(2);
    expect(requests).toHaveLength(5);
  });

  it('rejects when the port is in use, and names the port', async () => {
    const { port } = await serve(greeter());
    await expect(listen(greeter(), port, { host: '127.0.0.1' })).rejects.toMatchObject({
      name: 'ListenError',
      code: 'LISTEN_FAILED',
      port,
      host: '127.0.0.1',
      message: `Cannot listen on port ${port} of 127.0.0.1: it is already in use. Stop the process that uses it, or choose another port.`,
      cause: { code: 'EADDRINUSE' },
    });
  });

  it('rejects when the host is not local, and names the host', async () => {
    await expect(listen(greeter(), 0, { host: '192.0.2.1' })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot listen on port 0 of 192\.0\.2\.1: .*EADDRNOTAVAIL/),
      cause: { code: 'EADDRNOTAVAIL' },
    });
  });

  it.each([-1, 65_536, 1.5])('rejects %d, which is not a port, and names it', async (port) => {
    await expect(listen(greeter(), port)).rejects.toThrow(String(port));
  });

  it.each([{ requestTimeout: 5_000 }, { headersTimeout: 500_000 }, { requestTimeout: 0 }])(
    'takes %j without the other time-out',
    async (options) => {
      const { url } = await serve(greeter(), options);
      expect(await (await fetch(url)).text()).toBe('hello');
    },
  );

  it('rejects when routes conflict', async () => {
    const create = () => createRouter().get('/a', () => undefined);
    const app = createApp().route('/', create()).route('/', create());
    await expect(listen(app, 0)).rejects.toThrow(RouteConflictError);
  });
});

describe('server.stopListening()', () => {
  it('refuses new connections and keeps open ones', async () => {
    const server = await serve(greeter());
    const connection = connectRaw(server.port);
    connection.socket.write(REQUEST);
    await connection.responses(1);
    await server.stopListening();
    await refused(server.port);
    connection.socket.write(REQUEST);
    const [, second] = await connection.responses(2);
    expect(second).toMatch(/^connection: keep-alive\r$/im);
  });

  it('lets close() resolve immediately when no connection is open', async () => {
    const server = await serve(greeter());
    await server.stopListening();
    await expect(server.close()).resolves.toBeUndefined();
  });
});

describe('server.close()', () => {
  it('responds to open requests with Connection: close, then resolves', async () => {
    const { app, begun, go } = createSlowApp();
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUEST);
    await begun;
    const closed = server.close();
    await refused(server.port);
    go();
    await closed;
    const response = await ended();
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toMatch(/^connection: close\r$/im);
    expect(response).toMatch(/\r\n\r\ndone$/);
  });

  it('refuses new connections while requests are open', async () => {
    const { app, begun, go } = createSlowApp();
    const server = await serve(app);
    connectRaw(server.port).socket.write(REQUEST);
    await begun;
    const closed = server.close();
    const isOpen = async () => {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
    };
    await expect.poll(() => isOpen().catch(({ code }) => code)).toBe('ECONNREFUSED');
    go();
    await closed;
  });

  it('responds to a request in transit on an open connection', async () => {
    const server = await serve(greeter());
    const connection = connectRaw(server.port);
    connection.socket.write(REQUEST);
    await connection.responses(1);
    const closed = server.close();
    await refused(server.port);
    connection.socket.write(REQUEST);
    const [first, second] = await connection.responses(2);
    expect(first).not.toMatch(/^connection: close\r$/im);
    expect(second).toMatch(/^connection: close\r$/im);
    await closed;
  });

  it('closes idle connections', async () => {
    const server = await serve(greeter());
    const connection = connectRaw(server.port);
    connection.socket.write(REQUEST);
    await connection.responses(1);
    await server.close();
    expect(await connection.ended()).toMatch(/\r\n\r\nhello$/);
  });

  it('closes connections without a request', async () => {
    const server = await serve(greeter());
    const { socket, ended } = connectRaw(server.port);
    await once(socket, 'connect');
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    expect(await ended()).toBe('');
  });

  it('destroys busy connections at the deadline, and aborts their signals', async () => {
    const [begun, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = createApp().use(async (ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      await aborted.promise;
    });
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUEST);
    await begun.promise;
    await server.close({ timeout: 10 });
    expect(await ended()).toBe('');
    await aborted.promise;
  });

  it('returns the same promise for further calls', async () => {
    const { app, begun, go } = createSlowApp();
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUEST);
    await begun;
    const first = server.close();
    expect(server.close()).toBe(first);
    go();
    await first;
    expect(await ended()).toMatch(/done$/);
  });

  it.each([
    ['shortens', Number.POSITIVE_INFINITY, 10],
    ['does not lengthen', 10, Number.POSITIVE_INFINITY],
  ])('%s the deadline when it is called again', async (_, first, second) => {
    const { app, begun } = createSlowApp();
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUEST);
    await begun;
    await Promise.all([server.close({ timeout: first }), server.close({ timeout: second })]);
    expect(await ended()).toBe('');
  });

  it('destroys connections immediately with a timeout of 0 while an earlier call waits', async () => {
    const { app, begun } = createSlowApp();
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write(REQUEST);
    await begun;
    const closed = server.close({ timeout: Number.POSITIVE_INFINITY });
    await refused(server.port);
    await server.close({ timeout: 0 });
    await closed;
    expect(await ended()).toBe('');
  });
});

it('closing one server does not affect another one of the application', async () => {
  const app = createApp().use((ctx) => ctx.send('here'));
  const [first, second] = [await listen(app, 0), await serve(app)];
  await first.close({ timeout: 0 });
  const response = await fetch(second.url);
  expect(response.headers.get('Connection')).toBe('keep-alive');
});

it('close() without a deadline waits for open requests', async () => {
  const held = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const app = createApp().use(async (ctx) => {
    started.resolve();
    await held.promise;
    ctx.send('done');
  });
  const server = await listen(app, 0);
  const response = fetch(server.url);
  await started.promise;
  const closed = server.close({ timeout: Number.POSITIVE_INFINITY });
  setImmediate(() => held.resolve());
  expect(await (await response).text()).toBe('done');
  await closed;
});
