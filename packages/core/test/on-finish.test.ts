import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { beforeEach, describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import {
  type Context,
  createApp,
  errorHandler,
  json,
  type Middleware,
  NotFoundError,
  type RequestOutcome,
} from '../src/index.js';
import { serve } from './support/serve.js';

/** Keeps the framework's stderr output out of the test output. */
let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** Middleware with a listener, and promises of its outcomes. */
function observe() {
  const outcomes: RequestOutcome[] = [];
  const ended = Promise.withResolvers<RequestOutcome>();
  const observer: Middleware = (ctx, next) => {
    ctx.onFinish((outcome) => {
      outcomes.push(outcome);
      ended.resolve(outcome);
    });
    return next();
  };
  return { observer, outcomes, ended: ended.promise };
}

const request = (method: string, path = '/') =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

/** A stream that sends one chunk, and then waits. */
const idle = (chunk = 'a') => {
  const stream = new Readable({ read: () => undefined });
  stream.push(chunk);
  return stream;
};

describe('ctx.onFinish() reports', () => {
  const failure = new Error('broken');

  it.each<[string, string, Middleware, RequestOutcome]>([
    ['a response', 'GET', (ctx) => ctx.json([]), { status: 200, aborted: false }],
    ['a response to HEAD', 'HEAD', (ctx) => ctx.json([]), { status: 200, aborted: false }],
    [
      'a large response',
      'GET',
      (ctx) => ctx.send(Buffer.alloc(5e6)),
      { status: 200, aborted: false },
    ],
    [
      'a 304',
      'GET',
      (ctx) => ctx.respond(new Response(null, { status: 304 })),
      { status: 304, aborted: false },
    ],
    [
      'a 204',
      'GET',
      (ctx) => ctx.respond(new Response(null, { status: 204 })),
      { status: 204, aborted: false },
    ],
    [
      'a stream',
      'GET',
      (ctx) => ctx.send(Readable.from(['a', 'b'])),
      { status: 200, aborted: false },
    ],
    [
      'a response that was taken over',
      'GET',
      (ctx) => {
        const res = ctx.takeOver();
        setImmediate(() => res.writeHead(202).end('taken'));
      },
      { status: 202, aborted: false },
    ],
    [
      'the error behind a 500',
      'GET',
      () => {
        throw failure;
      },
      { status: 500, aborted: false, error: failure },
    ],
    [
      'the error behind a 404',
      'GET',
      () => {
        throw new NotFoundError('none');
      },
      { status: 404, aborted: false, error: new NotFoundError('none') },
    ],
    [
      'a stream that fails after the headers',
      'GET',
      (ctx) => {
        const stream = idle();
        ctx.res.once('pipe', () => setImmediate(() => stream.destroy(failure)));
        ctx.send(stream);
      },
      { status: 200, aborted: true, error: failure },
    ],
    [
      'a stream that fails before its first bytes',
      'GET',
      (ctx) =>
        ctx.send(
          new Readable({
            read() {
              this.destroy(failure);
            },
          }),
        ),
      { status: 500, aborted: false, error: failure },
    ],
    [
      'a stream whose first bytes exceed its Content-Length',
      'GET',
      (ctx) => {
        ctx.set('Content-Length', 1);
        ctx.send(Readable.from(['ab']));
      },
      { status: 500, aborted: false, error: expect.any(RangeError) },
    ],
    [
      'a stream that loses its own connection',
      'GET',
      (ctx) => {
        const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
        const stream = idle();
        ctx.res.once('pipe', () => setImmediate(() => stream.destroy(reset)));
        ctx.send(stream);
      },
      { status: 200, aborted: true, error: expect.objectContaining({ message: 'reset' }) },
    ],
    [
      'a response that fails after its headers were written',
      'GET',
      (ctx) => {
        ctx.takeOver().writeHead(200).flushHeaders();
        throw failure;
      },
      { status: 200, aborted: true, error: failure },
    ],
  ])('%s', async (_what, method, handler, expected) => {
    const { observer, outcomes, ended } = observe();
    const { port } = await serve(createApp().use(observer, handler));
    const { socket, ended: closed } = connectRaw(port);
    socket.write(request(method));
    await closed();
    expect(await ended).toEqual(expected);
    expect(outcomes).toHaveLength(1);
  });

  it.each<[string, (ctx: Context) => void, RequestOutcome]>([
    ['before the response', () => undefined, { status: 499, aborted: true }],
    [
      'before the first byte of a stream',
      (ctx) => ctx.send(new Readable({ read: () => undefined })),
      { status: 499, aborted: true },
    ],
  ])('a client that disconnects %s', async (_when, respond, expected) => {
    const { observer, ended } = observe();
    const begun = Promise.withResolvers<void>();
    const app = createApp().use(observer, async (ctx) => {
      respond(ctx);
      setImmediate(begun.resolve);
      if (!ctx.answered) await ended;
      ctx.status = 201;
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write(request('GET'));
    await begun.promise;
    socket.destroy();
    expect(await ended).toEqual(expected);
  });

  it.each([
    ['a stream', (ctx: Context) => ctx.send(idle())],
    ['a large body', (ctx: Context) => ctx.send(Buffer.alloc(50e6))],
    [
      'a response that was taken over',
      (ctx: Context) => void ctx.takeOver().writeHead(200).write('a'),
    ],
  ])('a client that disconnects while it receives %s', async (_what, respond) => {
    const { observer, ended } = observe();
    const { port } = await serve(createApp().use(observer, respond));
    const { socket } = connectRaw(port);
    socket.write(request('GET'));
    socket.once('data', () => socket.resetAndDestroy());
    expect(await ended).toEqual({ status: 200, aborted: true });
  });

  it('a client that disconnects while it sends the body', async () => {
    const { observer, ended } = observe();
    const { port } = await serve(createApp().use(observer, json()));
    const { socket } = connectRaw(port);
    const head =
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
    socket.write(`${head}{`, () => socket.destroy());
    expect(await ended).toMatchObject({ status: 499, aborted: true });
  });

  it('a request whose body turns out to be invalid, with the status that the client receives', async () => {
    const { observer, ended } = observe();
    const { port } = await serve(createApp().use(observer, json()));
    const { socket, ended: received } = connectRaw(port);
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect(await received()).toMatch(/^HTTP\/1\.1 400 /);
    expect(await ended).toEqual({ status: 400, aborted: false });
  });

  it.each([
    ['tracks', (app: ReturnType<typeof createApp>) => serve(app).then(({ port }) => port)],
    ['does not know', listenPlainly],
  ])('pipelined requests of a connection that the server %s', async (_how, open) => {
    const outcomes = new Map<string, RequestOutcome>();
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = createApp().use((ctx) => {
      ctx.onFinish((outcome) => {
        outcomes.set(ctx.path, outcome);
        if (outcomes.size === 3) ended.resolve();
      });
      if (ctx.path === '/3') begun.resolve();
      if (ctx.path !== '/2') return ctx.send('quick');
      return ended.promise;
    });
    const { socket } = connectRaw(await open(app));
    for (const path of ['/1', '/2', '/3'])
      socket.write(request('GET', path).replace('close', 'keep-alive'));
    await begun.promise;
    socket.destroy();
    await ended.promise;
    expect(outcomes.get('/1')).toEqual({ status: 200, aborted: false });
    expect(outcomes.get('/2')).toEqual({ status: 499, aborted: true });
    expect(outcomes.get('/3')).toEqual({ status: 499, aborted: true });
  });

  it('a call without a socket, before its response resolves', async () => {
    const { observer, outcomes } = observe();
    const app = createApp().use(observer, async (ctx) => ctx.json([]));
    await app.request('/');
    expect(outcomes).toEqual([{ status: 200, aborted: false }]);
  });

  it('a streamed call without a socket, once it was read or canceled', async () => {
    const [read, canceled] = [observe(), observe()];
    const stream: Middleware = (ctx) => ctx.send(Readable.from(['a', 'b']));
    await (await createApp().use(read.observer, stream).request('/')).text();
    const endless: Middleware = (ctx) => ctx.send(idle());
    await (await createApp().use(canceled.observer, endless).request('/')).body?.cancel();
    expect(await read.ended).toEqual({ status: 200, aborted: false });
    expect(await canceled.ended).toEqual({ status: 200, aborted: true });
  });
});

/** Serves an application on a node:http server without `listen()`. */
async function listenPlainly(app: ReturnType<typeof createApp>): Promise<number> {
  const server = createServer(app.handle);
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('ctx.onFinish() calls', () => {
  it('listeners in order, although one throws and another rejects', async () => {
    const onError = vi.fn();
    const calls: string[] = [];
    const app = createApp().use(errorHandler({ onError }), async (ctx) => {
      ctx.onFinish(() => calls.push('first'));
      ctx.onFinish(() => {
        throw new Error('thrown');
      });
      ctx.onFinish(async () => {
        throw new Error('rejected');
      });
      ctx.onFinish(() => calls.push('last'));
      ctx.send('ok');
    });
    await app.request('/');
    expect(calls).toEqual(['first', 'last']);
    expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
      'Error: thrown',
      'Error: rejected',
    ]);
    expect(stderr).not.toHaveBeenCalled();
  });

  it('each listener after ctx.signal has aborted, also those added before it was read', async () => {
    const ended = Promise.withResolvers<void>();
    const aborted: boolean[] = [];
    const app = createApp().use(async (ctx) => {
      const note = () => aborted.push(ctx.signal.aborted);
      ctx.onFinish(note);
      const left = once(ctx.signal, 'abort');
      ctx.onFinish(note);
      ctx.onFinish(() => ended.resolve());
      started.resolve();
      await left;
    });
    const started = Promise.withResolvers<void>();
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await started.promise;
    socket.destroy();
    await ended.promise;
    expect(aborted).toEqual([true, true]);
  });

  it('a listener at once when the request has ended', async () => {
    const calls: RequestOutcome[] = [];
    const done = Promise.withResolvers<void>();
    const app = createApp().use((ctx) => {
      ctx.res.once('close', () => {
        ctx.onFinish((outcome) => calls.push(outcome));
        done.resolve();
      });
      ctx.send('ok');
    });
    await app.request('/');
    await done.promise;
    expect(calls).toEqual([{ status: 200, aborted: false }]);
  });

  it('all listeners through one of the response', async () => {
    const counts: number[] = [];
    const app = createApp().use((ctx) => {
      const count = () =>
        counts.push(ctx.res.listenerCount('close') + ctx.res.listenerCount('finish'));
      count();
      for (let index = 0; index < 20; index += 1) ctx.onFinish(() => undefined);
      count();
      ctx.send('ok');
    });
    const port = await listenPlainly(app);
    await fetch(`http://127.0.0.1:${port}/`);
    expect(counts).toEqual([counts[0], Number(counts[0]) + 1]);
    await app.request('/');
    expect(counts[2]).toBe(counts[3]);
  });
});

it('a handler that leaves the loop over a body ends its request like any other', async () => {
  const { observer, ended } = observe();
  const app = createApp()
    .use(observer)
    .post('/', async (ctx) => {
      const { signal } = ctx;
      for await (const _chunk of ctx.bodyStream()) break;
      return { ip: ctx.ip, protocol: ctx.protocol, isAborted: signal.aborted };
    });
  const { url } = await serve(app);
  const response = await fetch(url, { method: 'POST', body: 'a'.repeat(100_000) });
  expect(await response.json()).toEqual({ ip: '127.0.0.1', protocol: 'http', isAborted: false });
  expect(await ended).toEqual({ status: 200, aborted: false });
});
