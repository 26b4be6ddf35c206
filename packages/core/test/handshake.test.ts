import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { cert, key } from '@fairlead/test-support/certificate';
import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Context,
  createApp,
  ForbiddenError,
  json,
  type RequestOutcome,
} from '../src/index.js';
import { serve } from './support/serve.js';

const handshake = (path: string, ...lines: string[]) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Takes over the connection, and echoes its bytes. */
function echo(ctx: Context): Duplex {
  const { socket, head } = ctx.upgrade();
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  socket.write(head);
  socket.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end());
  return socket;
}

/** Waits until a connection has received a text. */
async function received(socket: NodeJS.ReadableStream, text: string): Promise<string> {
  let all = '';
  for await (const chunk of socket) {
    all += chunk;
    if (all.includes(text)) break;
  }
  return all;
}

describe('a handshake', () => {
  it('runs middleware and has parameters before a handler takes over the connection', async () => {
    const seen: unknown[] = [];
    const app = createApp()
      .use((ctx, next) => {
        seen.push(ctx.path);
        return next();
      })
      .get('/rooms/:room', (ctx) => {
        seen.push(ctx.params.room);
        echo(ctx);
      });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    socket.write(`${handshake('/rooms/a%20b')}early `);
    socket.write('late.');
    expect(await received(socket, 'late.')).toMatch(/^HTTP\/1.1 101 .*\r\n\r\nearly late\.$/s);
    expect(seen).toEqual(['/rooms/a%20b', 'a b']);
  });

  it('names the protocol in any case', async () => {
    const { port } = await serve(createApp().get('/', (ctx) => void echo(ctx)));
    const { socket } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    socket.write(`${handshake('/').replace('websocket', 'WebSocket')}hi`);
    expect(await received(socket, 'hi')).toMatch(/^HTTP\/1.1 101 /);
  });

  it.each([
    [404, '/missing'],
    [403, '/forbidden'],
    [500, '/broken'],
    [200, '/plain'],
    [400, '/%zz'],
    [414, `/${'a'.repeat(9_000)}`],
  ])('may receive an ordinary %i, after which the connection closes', async (status, path) => {
    const app = createApp({ onError: () => undefined })
      .get('/forbidden', () => {
        throw new ForbiddenError('No.');
      })
      .get('/broken', () => {
        throw new Error('Broken.');
      })
      .get('/plain', () => 'plain');
    const { port } = await serve(app);
    const reply = await exchange(port, handshake(path));
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nConnection: close\r\n`, 's'));
    expect(reply).toContain(status === 200 ? '"plain"' : `"status":${status}`);
  });

  it('may receive a response that is longer than what the connection buffers', async () => {
    const app = createApp().get('/', (ctx) =>
      ctx.send(Readable.from(['a'.repeat(5_000_000), 'z'])),
    );
    const { port } = await serve(app);
    const reply = await exchange(port, handshake('/'));
    expect(reply.length).toBeGreaterThan(5_000_000);
    expect(reply.slice(-11)).toBe('1\r\nz\r\n0\r\n\r\n');
  });

  it('waits for the responses to earlier requests of its connection', async () => {
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const app = createApp()
      .get('/slow', async () => {
        await release;
        return 'slow';
      })
      .get('/', (ctx) => void echo(ctx));
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${handshake('/')}hi`);
    await once(socket, 'ready');
    resolve();
    expect(await received(socket, '\r\n\r\nhi')).toMatch(/^HTTP\/1.1 200 .*"slow"HTTP\/1.1 101 /s);
  });

  it('is a request until its connection closes', async () => {
    const outcomes: RequestOutcome[] = [];
    let signal = AbortSignal.abort();
    const app = createApp().get('/', (ctx) => {
      ctx.onFinish((outcome) => void outcomes.push(outcome));
      signal = ctx.signal;
      echo(ctx);
      expect([ctx.status, ctx.answered]).toEqual([101, true]);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(`${handshake('/')}hi`);
    await received(socket, 'hi');
    await expect.poll(() => signal.aborted).toBe(true);
    expect(outcomes).toEqual([{ status: 101, aborted: false }]);
  });

  it('aborts the signal when the client disconnects while middleware runs', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
    const app = createApp().get('/', async (ctx) => {
      begin(ctx.signal);
      await once(ctx.signal, 'abort');
      echo(ctx);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(handshake('/'));
    const signal = await begun;
    expect(signal.aborted).toBe(false);
    socket.end();
    await expect.poll(() => signal.aborted).toBe(true);
  });

  it('keeps its connection when later middleware fails, and reports the error', async () => {
    const errors: unknown[] = [];
    const failure = new Error('Too late.');
    const app = createApp({ onError: (error) => void errors.push(error) })
      .use(async (_, next) => {
        await next();
        throw failure;
      })
      .get('/', (ctx) => void echo(ctx));
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    socket.write(`${handshake('/')}hi`);
    expect(await received(socket, 'hi')).toMatch(/^HTTP\/1.1 101 [^\0]*\r\n\r\nhi$/);
    expect(errors).toEqual([failure]);
  });

  it('opens over TLS, after a request for another upgrade', async () => {
    const app = createApp()
      .get('/', (ctx) => void echo(ctx))
      .get('/plain', () => 'plain');
    const { port } = await serve(app, { tls: { key, cert } });
    const { socket, responses } = connectRaw(
      port,
      connectTls({ port, ca: cert, servername: 'localhost' }),
    );
    onTestFinished(() => void socket.destroy());
    socket.write('GET /plain HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
    expect((await responses(1))[0]).toContain('"plain"');
    socket.write(`${handshake('/')}hi`);
    expect(await received(socket, 'hi')).toMatch(/^HTTP\/1.1 101 /);
  });

  it('stays open over TLS while the server closes idle connections', async () => {
    const app = createApp().get('/', (ctx) => void echo(ctx));
    const server = await serve(app, { tls: { key, cert } });
    const { port } = server;
    const open = () => connectRaw(port, connectTls({ port, ca: cert, servername: 'localhost' }));
    const [upgraded, idle] = [open(), open()];
    upgraded.socket.write(handshake('/'));
    await once(upgraded.socket, 'data');
    idle.socket.write('GET /idle HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.responses(1);
    const closed = server.close();
    await idle.ended();
    upgraded.socket.write('hi');
    expect(await Promise.race([once(upgraded.socket, 'data'), upgraded.ended()])).toEqual(['hi']);
    upgraded.socket.end();
    await closed;
  });

  it('opens over a connection in memory', async () => {
    const clients: unknown[] = [];
    const app = createApp().get('/', (ctx) => {
      clients.push([ctx.ip, ctx.protocol]);
      echo(ctx);
    });
    const connection = app.connect({ ip: '192.0.2.1' });
    connection.write(`${handshake('/')}hi`);
    expect(await received(connection, 'hi')).toMatch(/^HTTP\/1.1 101 /);
    expect(clients).toEqual([['192.0.2.1', 'http']]);
    await app.close();
  });
});

describe('ctx.upgrade()', () => {
  it('is a 426 for a request that is not a handshake', async () => {
    const app = createApp().get('/', (ctx) => void echo(ctx));
    const reply = await app.request('/');
    expect([reply.status, reply.headers.get('Upgrade')]).toEqual([426, 'websocket']);
    expect(await reply.json()).toMatchObject({ code: 'UPGRADE_REQUIRED' });
  });

  it('throws when it was called before', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).get('/', (ctx) => {
      echo(ctx).destroy();
      ctx.upgrade();
    });
    const { port } = await serve(app);
    await exchange(port, handshake('/'));
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('once') })]);
  });

  it.each([
    ['at once', (ctx: Context) => void ctx.upgrade()],
    [
      'later',
      async (ctx: Context) => {
        ctx.upgrade();
        await new Promise(setImmediate);
      },
    ],
  ])('closes the connection of a handler that fails before its 101, %s', async (_, begin) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) })
      .get('/first', () => 'first')
      .get('/', async (ctx) => {
        await begin(ctx);
        throw new Error('It failed.');
      });
    const { port } = await serve(app);
    const first = 'GET /first HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const all = await exchange(port, first + handshake('/'));
    expect(all.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
    expect(errors).toEqual([expect.objectContaining({ message: 'It failed.' })]);
  });

  it('closes the connection of a call in the same process, too', async () => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', (ctx) => {
      ctx.upgrade();
      throw new Error('It failed.');
    });
    const connection = app.connect();
    connection.write(handshake('/'));
    expect(await received(connection, 'never')).toBe('');
    expect(onError).toHaveBeenCalledOnce();
    await app.close();
  });

  it('closes the connection of a handler that is aborted before its 101, and reports why', async () => {
    const errors: unknown[] = [];
    const finished = vi.fn();
    const app = createApp({ onError: (error) => void errors.push(error) }).get('/', async (ctx) => {
      ctx.onFinish(finished);
      ctx.upgrade();
      ctx.abort(new Error('It took too long.'));
      await new Promise(() => {});
    });
    const { port } = await serve(app);
    expect(await exchange(port, handshake('/'))).toBe('');
    expect(errors).toEqual([expect.objectContaining({ message: 'It took too long.' })]);
    await expect.poll(() => finished).toHaveBeenCalledOnce();
  });

  it.each(['a socket', 'a call in the same process'])(
    'keeps the connection of a handler that fails after its 101, over %s',
    async (kind) => {
      const onError = vi.fn();
      const app = createApp({ onError }).get('/', (ctx) => {
        echo(ctx);
        throw new Error('It failed.');
      });
      const socket =
        kind === 'a socket' ? connectRaw((await serve(app)).port).socket : app.connect();
      onTestFinished(() => void socket.destroy());
      socket.write(`${handshake('/')}a`);
      expect(await received(socket, 'a')).toMatch(/^HTTP\/1.1 101 .*a$/s);
      expect(onError).toHaveBeenCalledOnce();
    },
  );

  it('reports a response after it', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).get('/', (ctx) => {
      echo(ctx).destroy();
      ctx.json('late');
    });
    const { port } = await serve(app);
    await exchange(port, handshake('/'));
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('after the response was sent') }),
    ]);
  });

  it('throws after a timeout has responded', async () => {
    const app = createApp().get('/', (ctx) => {
      ctx.res.end('raw');
      ctx.upgrade();
    });
    const { port } = await serve(app);
    vi.spyOn(console, 'error').mockReturnValue();
    expect(await exchange(port, handshake('/'))).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a request for another upgrade', () => {
  const app = () =>
    createApp()
      .use(json())
      .get('/', (ctx) => [ctx.get('Upgrade') ?? 'none', ctx.get('X-Name')])
      .post('/', (ctx) => ctx.body);

  it('is an ordinary request, and so are the next ones of its connection', async () => {
    const { port } = await serve(app());
    const { socket, responses } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';
    const get = `GET / HTTP/1.1\r\nHost: a\r\nX-Name: \xe9\r\n${h2c}\r\n`;
    // Its connection closes after the response in Node 26 and newer.
    const post = `POST / HTTP/1.1\r\nHost: a\r\n${h2c}Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}`;
    socket.write(get + get + post, 'latin1');
    const replies = await responses(3);
    expect(replies.map((reply) => reply.slice(0, 12))).toEqual(Array(3).fill('HTTP/1.1 200'));
    expect(replies[1]).toContain('["none","\xc3\xa9"]');
    expect(replies[2]).toContain('{"a":1}');
  });

  it('that has a body in several parts is read completely', async () => {
    const { port } = await serve(app());
    const { socket, responses } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    const text = JSON.stringify('b'.repeat(500_000));
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
    );
    socket.write(text.slice(0, 10));
    await new Promise((resolve) => socket.write(text.slice(10), resolve));
    expect((await responses(1))[0]).toContain(text);
  });

  it('does not collect listeners on its connection', async () => {
    const { port, node } = await serve(app());
    const connected = once(node, 'connection');
    const { socket, responses } = connectRaw(port);
    onTestFinished(() => void socket.destroy());
    const [peer] = await connected;
    const get = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const count = () =>
      peer.eventNames().map((name: string) => [name, peer.listenerCount(name)] as const);
    socket.write(get);
    await responses(1);
    const before = count();
    for (let sent = 2; sent < 30; sent += 1) {
      socket.write(get);
      await responses(sent);
    }
    expect(count()).toEqual(before);
  });
});
