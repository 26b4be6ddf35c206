import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import {
  type Application,
  type Context,
  createApp,
  errorHandler,
  type RequestOutcome,
  type Server,
} from '@fairlead/core';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventStream, type ServerSentEvent, sendEvents } from '../src/index.js';
import { serve } from './support/send.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Events that never come. `returned` resolves when they are released. */
function idleEvents() {
  const returned = Promise.withResolvers<void>();
  const events: AsyncIterable<ServerSentEvent> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => undefined),
      return: async () => {
        returned.resolve();
        return { done: true, value: undefined };
      },
    }),
  };
  return { events, returned: returned.promise };
}

/** Resolves with the first bytes of a response to GET. */
type ReadFirst = (app: Application) => Promise<string>;

const overSocket: ReadFirst = async (app) => {
  const { socket } = connectRaw((await serve(app)).port);
  socket.write(GET);
  const [bytes] = await once(socket, 'data');
  return String(bytes);
};

const inProcess: ReadFirst = async (app) => {
  const response = await app.request('/');
  const type = response.headers.get('Content-Type');
  await response.body?.cancel();
  return `HTTP/1.1 ${response.status} OK\r\nContent-Type: ${type}\r\n`;
};

describe('sendEvents()', () => {
  it('sends each event, with one field per line', async () => {
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'a\nb', event: 'note', id: '1', retry: 500 };
          yield { data: '' };
        })(),
      ),
    );
    const response = await app.request('/');
    expect(response.headers.get('Content-Type')).toBe('text/event-stream');
    expect(await response.text()).toBe(
      'event: note\nid: 1\nretry: 500\ndata: a\ndata: b\n\ndata: \n\n',
    );
  });

  it.each([
    [{ id: 1, at: new Date(0) }, '{"id":1,"at":"1970-01-01T00:00:00.000Z"}'],
    [['a\nb'], '["a\\nb"]'],
    [7, '7'],
    [null, 'null'],
    ['plain', 'plain'],
  ])('sends data that is not text as JSON: %j', async (data, text) => {
    const events = (async function* () {
      yield { data };
    })();
    const app = createApp().get('/', () => eventStream(events));
    expect(await (await app.request('/')).text()).toBe(`data: ${text}\n\n`);
  });

  it.each(['\n', '\r\n', '\r'])('writes a line of its own after the line end %j', async (end) => {
    const app = createApp().use((ctx) => sendEvents(ctx, Readable.from([{ data: `a${end}b` }])));
    expect(await (await app.request('/')).text()).toBe('data: a\ndata: b\n\n');
  });

  it('ends the source when the client disconnects', async () => {
    const ended = Promise.withResolvers<void>();
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          try {
            yield { data: 'first' };
            await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
          } finally {
            ended.resolve();
          }
        })(),
      ),
    );
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.once('data', () => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect(ended.promise).resolves.toBeUndefined();
  });

  it('ends its streams when the server starts closing', async () => {
    const ended: string[] = [];
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          try {
            yield { data: 'first' };
            await once(ctx.closing, 'abort');
          } finally {
            ended.push(ctx.path);
          }
        })(),
      ),
    );
    const server = await serve(app);
    // Node warns from ten listeners of an event on.
    const connections = Array.from({ length: 20 }, () => connectRaw(server.port));
    const paths = connections.map(({ socket }, index) => {
      socket.write(`GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return `/${index}`;
    });
    await Promise.all(connections.map(({ socket }) => once(socket, 'data')));
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    for (const reply of await Promise.all(connections.map(({ ended }) => ended()))) {
      expect(reply).toMatch(/data: first\n\n\r\n0\r\n\r\n$/);
    }
    expect(ended.sort()).toEqual(paths.sort());
  });

  it('ends a stream that never gets another event when the server starts closing', async () => {
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'first' };
          await new Promise(() => undefined);
        })(),
      ),
    );
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    expect(await ended()).toMatch(/data: first\n\n\r\n0\r\n\r\n$/);
  });

  it('reports an error of a generator that fails while it ends with the server', async () => {
    const failed = Promise.withResolvers<unknown>();
    const app = createApp()
      .use(errorHandler({ onError: failed.resolve }))
      .use((ctx) =>
        sendEvents(
          ctx,
          (async function* () {
            try {
              yield { data: 'first' };
              await once(ctx.closing, 'abort');
            } finally {
              await Promise.reject(new Error('cannot end'));
            }
          })(),
        ),
      );
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    await expect(failed.promise).resolves.toHaveProperty('message', 'cannot end');
  });

  it('reports nothing when the server interrupts what a generator awaits', async () => {
    const onError = vi.fn();
    const ended = Promise.withResolvers<void>();
    const app = createApp()
      .use(errorHandler({ onError }))
      .use((ctx) =>
        sendEvents(
          ctx,
          (async function* () {
            try {
              yield { data: 'first' };
              await setTimeout(2 ** 30, undefined, { signal: ctx.closing });
            } finally {
              ended.resolve();
            }
          })(),
        ),
      );
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    await server.close({ timeout: Number.POSITIVE_INFINITY });
    await ended.promise;
    expect(onError).not.toHaveBeenCalled();
  });

  it('reports an iterator that returns no result', async () => {
    const errors: unknown[] = [];
    const events: AsyncIterable<ServerSentEvent> = {
      [Symbol.asyncIterator]: () => ({ next: async () => undefined as never }),
    };
    const app = createApp({ onError: (error) => errors.push(error) });
    const { url } = await serve(app.use((ctx) => sendEvents(ctx, events)));
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    expect(errors).toEqual([expect.any(TypeError)]);
  });

  it('sends no events once the server is closing', async () => {
    const app = createApp().use(async (ctx) => {
      await once(ctx.closing, 'abort');
      sendEvents(ctx, Readable.from([{ data: 'late' }]));
    });
    const server = await serve(app);
    const { socket, ended } = connectRaw(server.port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(server.node, 'request');
    await server.close();
    expect(await ended()).toMatch(/\r\n\r\n0\r\n\r\n$/);
  });

  it.each<[string, ReadFirst]>([
    ['over a socket', overSocket],
    ['in process', inProcess],
  ])('sends the head before the first event %s', async (_, readFirst) => {
    const app = createApp().use((ctx) => sendEvents(ctx, idleEvents().events));
    expect(await readFirst(app)).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/,
    );
  });

  it.each<[string, ReadFirst]>([
    ['over a socket', overSocket],
    ['in process', inProcess],
  ])('leaves room for listeners of the user %s', async (_, readFirst) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const counted = Promise.withResolvers<number>();
    const app = createApp().use((ctx) => {
      const signal = AbortSignal.any([ctx.signal, ctx.closing]);
      ctx.res.once('close', () => undefined).once('close', () => undefined);
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'first' };
          counted.resolve(ctx.res.listenerCount('close'));
          await once(signal, 'abort');
        })(),
      );
    });
    await readFirst(app);
    expect(await counted.promise).toBeLessThanOrEqual(10);
    await setImmediate();
    expect(warnings).toEqual([]);
  });

  it.each<[string, (ctx: Context) => unknown]>([
    ['before', ({ res }) => once(res, 'close')],
    ['later', () => undefined],
  ])('releases the events of clients that leave %s', async (_, prepare) => {
    const sources = Array.from({ length: 20 }, () => ({
      ...idleEvents(),
      arrived: Promise.withResolvers<void>(),
    }));
    const free = [...sources];
    const app = createApp().use(async (ctx) => {
      const { events, arrived } = free.pop() ?? expect.unreachable();
      arrived.resolve();
      await prepare(ctx);
      sendEvents(ctx, events);
    });
    const server = await serve(app);
    const sockets = sources.map(() => {
      const { socket } = connectRaw(server.port);
      socket.write(GET);
      return socket;
    });
    await Promise.all(sources.map(({ arrived }) => arrived.promise));
    for (const socket of sockets) socket.destroy();
    await Promise.all(sources.map(({ returned }) => returned));
    expect(getEventListeners(server.closing, 'abort')).toEqual([]);
  });

  it('destroys a stream of events whose client has left before', async () => {
    const events = Readable.from([{ data: 'late' }]);
    const app = createApp().use(async (ctx) => {
      await once(ctx.res, 'close');
      sendEvents(ctx, events);
    });
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write(GET);
    await once(server.node, 'request');
    socket.destroy();
    await once(events, 'close');
    expect(events.destroyed).toBe(true);
  });

  it('tells ctx.onFinish() whether the client received all events', async () => {
    const finished = Promise.withResolvers<RequestOutcome>();
    const left = Promise.withResolvers<RequestOutcome>();
    const app = createApp()
      .get('/', (ctx) => {
        ctx.onFinish(finished.resolve);
        sendEvents(ctx, Readable.from([{ data: 'one' }]));
      })
      .get('/endless', (ctx) => {
        ctx.onFinish(left.resolve);
        sendEvents(ctx, idleEvents().events);
      });
    const { port, url } = await serve(app);
    await (await fetch(url)).text();
    const { socket } = connectRaw(port);
    socket.write(GET.replace('/', '/endless'));
    socket.once('data', () => socket.resetAndDestroy());
    expect([await finished.promise, await left.promise]).toEqual([
      { status: 200, aborted: false },
      { status: 200, aborted: true },
    ]);
  });

  it.each(['HEAD', 'GET'])('releases events that %s does not read', async (method) => {
    const { events, returned } = idleEvents();
    const app = createApp().use((ctx) => {
      sendEvents(ctx, events);
      ctx.status = 204;
    });
    await app.request('/', { method });
    await expect(returned).resolves.toBeUndefined();
  });

  it.each<[unknown, RegExp]>([
    [{ data: '', id: 'a\nb' }, /^Invalid id of a server-sent event: "a\\nb"/],
    [
      { data: new Map([['tick', 1]]) },
      /^Invalid data of a server-sent event: it is a Map\. Convert it with Object\.fromEntries\(\)\.$/,
    ],
    [
      { data: undefined },
      /^Invalid data of a server-sent event: undefined\. Use text or a JSON value\.$/,
    ],
    [{ data: '', event: 5 }, /^Invalid event of a server-sent event: 5\. Use a string\.$/],
    [
      { data: '', id: { toString: () => '1\ndata: x' } },
      /^Invalid id of a server-sent event: an object\. Use a string\.$/,
    ],
    [{ data: '', event: 'a\rdata: x' }, /^Invalid event of a server-sent event: "a\\rdata: x"/],
    [{ data: '', retry: '1\ndata: x' }, /^Invalid retry of a server-sent event: '1\ndata: x'/],
    ['tick', /^Invalid data of a server-sent event: undefined\./],
    [undefined, /^Invalid data of a server-sent event: undefined\./],
    [
      { data: '', retry: '5 s' },
      /^Invalid retry of a server-sent event: '5 s'\. Use a non-negative integer number of milliseconds\.$/,
    ],
  ])('closes the connection and releases the events at the event %j', async (event, message) => {
    const failed = Promise.withResolvers<unknown>();
    const released = Promise.withResolvers<void>();
    const app = createApp({ onError: failed.resolve }).use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          try {
            yield event as ServerSentEvent;
          } finally {
            released.resolve();
          }
        })(),
      ),
    );
    const { port } = await serve(app);
    const { socket, ended } = connectRaw(port);
    socket.write(GET);
    expect(await ended()).not.toMatch(/0\r\n\r\n$/);
    await released.promise;
    expect(await failed.promise).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    [[{ data: 'a' }], 'an array. Pass the result of an async generator.'],
    [undefined, 'undefined. Pass the result of an async generator.'],
    [async function* ticks() {}, 'the function ticks. Call it.'],
  ])('rejects %o in place of events, before the response starts', async (events, problem) => {
    const failed = Promise.withResolvers<unknown>();
    const app = createApp({ onError: failed.resolve }).use((ctx) =>
      Reflect.apply(sendEvents, undefined, [ctx, events]),
    );
    expect((await app.request('/')).status).toBe(500);
    const [shown, fix] = problem.split('. ');
    expect(await failed.promise).toEqual(
      new TypeError(`sendEvents() cannot use ${shown} as events. ${fix}`),
    );
  });

  it('reports an error of a generator that fails after the client has disconnected', async () => {
    const failed = Promise.withResolvers<unknown>();
    const app = createApp({ onError: failed.resolve }).use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: 'first' };
          await once(ctx.signal, 'abort');
          throw new Error('cannot unsubscribe');
        })(),
      ),
    );
    const { socket } = connectRaw((await serve(app)).port);
    socket.write(GET);
    await once(socket, 'data');
    socket.destroy();
    expect(await failed.promise).toHaveProperty('message', 'cannot unsubscribe');
  });

  it('runs a generator in the context of its request', async () => {
    const path = new AsyncLocalStorage<string>();
    const app = createApp().use(
      (ctx, next) => path.run(ctx.path, next),
      (ctx) =>
        sendEvents(
          ctx,
          (async function* () {
            try {
              yield { data: String(path.getStore()) };
              await setImmediate();
              yield { data: String(path.getStore()) };
            } finally {
              ended.push(path.getStore());
            }
          })(),
        ),
    );
    const ended: unknown[] = [];
    const texts = ['/a', '/b'].map(async (path) => (await app.request(path)).text());
    expect(await Promise.all(texts)).toEqual(
      ['/a', '/b'].map((path) => `data: ${path}\n\n`.repeat(2)),
    );
    expect(ended.sort()).toEqual(['/a', '/b']);
  });

  it('sends the head at once, even if middleware replaces the stream', async () => {
    const app = createApp().use(
      async (ctx, next) => {
        await next();
        const body = ctx.responseBody as Readable;
        ctx.replaceBody(body.pipe(new PassThrough()));
        await setImmediate();
      },
      (ctx) => sendEvents(ctx, idleEvents().events),
    );
    expect(await overSocket(app)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('a heartbeat', () => {
  it('is a comment while there are no events, and events still arrive', async () => {
    const next = Promise.withResolvers<string>();
    const app = createApp().use((ctx) =>
      sendEvents(
        ctx,
        (async function* () {
          yield { data: await next.promise };
          yield { data: 'last' };
        })(),
        { heartbeat: 5 },
      ),
    );
    const { socket, ended } = connectRaw((await serve(app)).port);
    let received = '';
    socket.on('data', (text) => {
      received += text;
      if (received.split(':\n\n').length === 4) next.resolve('first');
    });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const chunks = (await ended()).split('\r\n\r\n')[1] ?? '';
    const body = chunks.replace(/^[\da-f]+\r\n|\r\n[\da-f]+(?=\r\n)|\r\n/g, '');
    expect(body).toMatch(/^(:\n\n){3,}data: first\n\n(:\n\n)*data: last\n\n0$/);
  });

  it('reads one event at a time', async () => {
    let pending = 0;
    let most = 0;
    let left = 3;
    let heartbeat = Promise.withResolvers<void>();
    const events: AsyncIterable<ServerSentEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          pending += 1;
          most = Math.max(most, pending);
          heartbeat = Promise.withResolvers();
          await heartbeat.promise;
          pending -= 1;
          left -= 1;
          return left < 0
            ? { done: true, value: undefined }
            : { done: false, value: { data: 'a' } };
        },
      }),
    };
    const app = createApp().use((ctx) => sendEvents(ctx, events, { heartbeat: 1 }));
    const { body } = await app.request('/');
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk);
      if (String(Buffer.from(chunk)).includes(':\n\n')) heartbeat.resolve();
    }
    expect(text.replaceAll(':\n\n', '')).toBe('data: a\n\n'.repeat(3));
    expect(most).toBe(1);
  });

  it.each<[string, (socket: Socket, server: Server) => unknown]>([
    ['the client leaves', (socket) => socket.destroy()],
    ['the server closes', (_socket, server) => server.close()],
  ])('stops when %s', async (_when, end) => {
    const { events, returned } = idleEvents();
    const [set, clear] = [
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(globalThis, 'clearInterval'),
    ];
    const app = createApp().use((ctx) => sendEvents(ctx, events, { heartbeat: 54_321 }));
    const server = await serve(app);
    const { socket } = connectRaw(server.port);
    socket.write(GET);
    await once(socket, 'data');
    await end(socket, server);
    await returned;
    const started = set.mock.calls.findIndex(([, delay]) => delay === 54_321);
    const timer = set.mock.results[started]?.value;
    expect(timer).toBeDefined();
    expect(clear.mock.calls).toContainEqual([timer]);
  });

  it.each([{ heartbeat: 0 }, { heartbeat: '15s' }, { heartBeat: 1 }])(
    'cannot have the options %j',
    async (options) => {
      const failed = Promise.withResolvers<unknown>();
      const app = createApp({ onError: failed.resolve }).use((ctx) =>
        Reflect.apply(sendEvents, undefined, [ctx, idleEvents().events, options]),
      );
      expect((await app.request('/')).status).toBe(500);
      expect(await failed.promise).toMatchObject({ code: 'INVALID_OPTION' });
    },
  );
});

describe('eventStream()', () => {
  async function* hello() {
    yield { data: 'hello' };
  }

  it('is sent as events when a handler returns it', async () => {
    const app = createApp()
      .get('/', () => eventStream(hello()))
      .get('/later', async () => eventStream(hello(), { heartbeat: 60_000 }));
    for (const path of ['/', '/later']) {
      const response = await app.request(path);
      expect(response.headers.get('Content-Type')).toBe('text/event-stream');
      expect(await response.text()).toBe('data: hello\n\n');
    }
  });

  it('releases its events when another response is sent', async () => {
    const { events, returned } = idleEvents();
    const app = createApp().get('/', (ctx) => {
      ctx.json('other');
      return eventStream(events);
    });
    expect(await (await app.request('/')).json()).toBe('other');
    await expect(returned).resolves.toBeUndefined();
  });

  it('refuses what is not an async iterable', () => {
    expect(() => Reflect.apply(eventStream, undefined, [hello])).toThrow(
      'eventStream() cannot use the function hello as events. Call it.',
    );
  });
});
