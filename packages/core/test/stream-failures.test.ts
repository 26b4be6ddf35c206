import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { request } from 'node:http';
import { PassThrough, pipeline, Readable, type ReadableOptions } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import {
  type Application,
  type Context,
  createApp,
  errorHandler,
  NotFoundError,
  type RequestOutcome,
  type ResponseBody,
} from '../src/index.js';
import { serve } from './support/serve.js';

/** Keeps the framework's stderr output out of the test output. */
let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** A file that exists. */
const file = fileURLToPath(import.meta.url);

/** A stream without data that ends only when it is destroyed. */
const idle = () => new Readable({ read: () => undefined });

/** Like {@link idle}, after some data. */
const begun = () => {
  const stream = idle();
  stream.push('begun');
  return stream;
};

/** Resolves when a stream closes, with or without an error. */
const closeOf = (stream: Readable) => new Promise<void>((resolve) => stream.once('close', resolve));

const wrongLength = (word: string) =>
  new RangeError(
    `The stream has ${word} bytes than its Content-Length of 3. Set Content-Length to the size of the stream, or omit it.`,
  );

const endedEarly = new Error(
  'The stream closed before its end, without an error. Throw an Error, not undefined, or destroy the stream with one.',
);

const used = new TypeError(
  'Cannot send the stream: it was already read or destroyed. Create a new stream for each response.',
);

const destroyed = (options?: ReadableOptions) => {
  const stream = new Readable({ read: () => undefined, ...options });
  stream.destroy();
  return stream;
};

const read = Readable.from(['one']);
await read.toArray();

/** Fails only once something reads it. */
const lazy = (options?: ReadableOptions) =>
  new Readable({
    ...options,
    read() {
      this.destroy(new Error('Too late.'));
    },
  });

const canceled = new Blob(['one']).stream() as ReadableStream;
await canceled.cancel();

const readToEnd = new Blob(['one']).stream() as ReadableStream;
await Array.fromAsync(readToEnd);

const errored = () =>
  new ReadableStream({ start: (controller) => controller.error(new Error('Too late.')) });

const objects = () => new ReadableStream({ start: (controller) => controller.enqueue({ row: 1 }) });

const chunkError = expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' });

describe.each([
  ['in process', async (app: Application) => app.request('/')],
  [
    'over a socket',
    async (app: Application) => {
      const { url } = await serve(app);
      return fetch(url);
    },
  ],
])('before its first byte, %s,', (_, call) => {
  it.each<[string, () => unknown, unknown]>([
    ['of objects', () => Readable.from([{ row: 1 }]), chunkError],
    ['of objects after empty text', () => Readable.from(['', { row: 1 }]), chunkError],
    [
      'of numbers from a generator',
      async function* () {
        yield 1;
      },
      chunkError,
    ],
    ['of undefined', () => Readable.from([undefined]), chunkError],
    ['of objects of the web', () => ReadableStream.from([{ row: 1 }]), chunkError],
    ['in a Response of objects', () => new Response(objects()), chunkError],
    ['that was destroyed', () => destroyed(), used],
    ['of objects that was destroyed', () => destroyed({ objectMode: true }), used],
    ['that was read', () => read, used],
    ['of the web that was canceled', () => canceled, used],
    ['of the web that was read', () => readToEnd, used],
    ['of the web that has failed', errored, new Error('Too late.')],
    ['in a Response that has failed', () => new Response(errored()), new Error('Too late.')],
    ['that fails when it is read', () => lazy(), new Error('Too late.')],
    [
      'of objects that fails when it is read',
      () => lazy({ objectMode: true }),
      new Error('Too late.'),
    ],
    ['that is paused and fails when it is read', () => lazy().pause(), new Error('Too late.')],
    [
      'that flows and fails when it is read',
      () => lazy().on('data', () => undefined),
      new Error('Too late.'),
    ],
    [
      'that another function destroys',
      () => {
        const stream = idle();
        void setImmediate().then(() => stream.destroy());
        return stream;
      },
      used,
    ],
    ['with an encoding that fails', () => lazy({ encoding: 'utf8' }), new Error('Too late.')],
  ])('a stream %s is an error response', async (_case, create, error) => {
    const outcomes: RequestOutcome[] = [];
    const app = createApp()
      .use(errorHandler())
      .get('/', (ctx) => {
        ctx.onFinish((outcome) => void outcomes.push(outcome));
        ctx.set('X-Kept', '1');
        return create();
      });
    const response = await call(app);
    expect([response.status, response.headers.get('X-Kept')]).toEqual([500, '1']);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
    expect(stderr.mock.calls).toEqual([[error]]);
    await expect.poll(() => outcomes).toMatchObject([{ status: 500, aborted: false }]);
  });

  it.each<[string, string, () => ResponseBody]>([
    ['one chunk', 'fewer', () => Readable.from(['tw'])],
    ['one chunk', 'more', () => Readable.from(['four'])],
    ['several chunks', 'fewer', () => Readable.from(['t', 'w'])],
    ['several chunks', 'more', () => Readable.from(['two', '!'])],
    ['no chunk', 'fewer', () => Readable.from([])],
    ['bytes', 'more', () => Readable.from([Buffer.from('four')], { objectMode: false })],
    [
      'one chunk of a generator',
      'fewer',
      async function* () {
        yield 'tw';
      },
    ],
    ['one chunk of the web', 'more', () => ReadableStream.from(['four'])],
    ['a file', 'more', () => createReadStream(file)],
  ])(
    'a stream with %s that has %s bytes than its Content-Length is an error response',
    async (_case, word, create) => {
      const app = createApp().use((ctx) => {
        ctx.set('Content-Length', 3);
        ctx.send(create());
      });
      expect((await call(app)).status).toBe(500);
      expect(stderr.mock.calls).toEqual([[wrongLength(word)]]);
    },
  );

  it('the length of a body that replaces the stream does not count', async () => {
    const app = createApp().use((ctx) => {
      ctx.send(Readable.from(['a', 'b']));
      const double = async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) yield `${chunk}${chunk}`;
      };
      ctx.replaceBody(Readable.from(double(ctx.responseBody as Readable)));
      ctx.set('Content-Length', 4);
    });
    expect(await (await call(app)).text()).toBe('aabb');
  });

  it('a stream that fails in an error response closes the connection', async () => {
    const app = createApp({ format: (_problem, _error, ctx) => ctx.send(lazy()) }).use(() => {
      throw new Error('First.');
    });
    await expect(call(app)).rejects.toThrow();
    expect(stderr.mock.calls).toEqual([[new Error('First.')], [new Error('Too late.')]]);
  });
});

const failing = (): Iterable<string> => {
  throw new Error('Too late.');
};

describe.each(['GET', 'HEAD'])('%s of a generator', (method) => {
  it.each<[string, (ctx: Context) => void]>([
    ['JSON', (ctx) => ctx.json({ saved: true })],
    ['a redirect', (ctx) => ctx.redirect('/saved')],
    ['another stream', (ctx) => ctx.send(Readable.from(['saved']))],
    ['a header', (ctx) => ctx.set('X-Saved', '1')],
  ])('that records %s, and fails before its first chunk, is an error response', async (_, save) => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', async function* (ctx): AsyncGenerator<string> {
      save(ctx);
      await setImmediate();
      yield* failing();
    });
    expect((await app.request('/', { method })).status).toBe(500);
    expect(onError.mock.calls).toEqual([[new Error('Too late.'), expect.anything()]]);
  });

  it('that records another response, and ends, is that response', async () => {
    const app = createApp().get('/', async function* (ctx): AsyncGenerator<string> {
      await setImmediate();
      ctx.status = 201;
      ctx.json({ saved: true });
      yield* [];
    });
    const response = await app.request('/', { method });
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      201,
      'application/json; charset=utf-8',
    ]);
  });

  it('has the status and the headers that it sets before its first chunk', async () => {
    const app = createApp().get('/:name', async function* (ctx) {
      if (ctx.params.name !== 'sales') throw new NotFoundError('There is no such report.');
      ctx.set('Content-Type', 'text/csv');
      yield 'month,total\n';
    });
    const sales = await app.request('/sales', { method });
    expect([sales.status, sales.headers.get('Content-Type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    expect((await app.request('/costs', { method })).status).toBe(404);
  });
});

it('a generator that throws undefined is an error response whose error names the fix', async () => {
  const onError = vi.fn();
  const app = createApp({ onError }).get('/', async function* (): AsyncGenerator<string> {
    yield* [];
    throw undefined;
  });
  expect((await app.request('/')).status).toBe(500);
  expect(onError.mock.calls).toEqual([[endedEarly, expect.anything()]]);
});

describe('a stream that is not sent', () => {
  const failure = new Error('The file cannot be closed.');
  const create = () => new Readable({ read: () => undefined, destroy: (_, done) => done(failure) });
  const web = () => new ReadableStream({ cancel: () => Promise.reject(failure) });

  /** Returns what `onError` receives during a request. */
  const errorsOf = async (handler: (ctx: Context) => unknown) => {
    const reported: unknown[] = [];
    const app = createApp({ onError: (error) => void reported.push(error) }).get('/', handler);
    await (await app.request('/')).text();
    await expect.poll(() => reported).toContain(failure);
    return reported;
  };

  it.each<[string, (ctx: Context) => unknown]>([
    ['text', (ctx) => ctx.send('text')],
    ['JSON', (ctx) => ctx.json({ a: 1 })],
    ['bytes', (ctx) => ctx.send(Buffer.from('a'))],
    ['another stream', (ctx) => ctx.send(Readable.from('a'))],
    ['the raw response', (ctx) => ctx.takeOver().end()],
    ['an error', () => Promise.reject(new NotFoundError())],
    [
      'a 204',
      (ctx) => {
        ctx.status = 204;
      },
    ],
  ])('reports how its end fails when %s replaces it', async (_case, replace) => {
    for (const stream of [create, web]) {
      const errors = await errorsOf((ctx) => {
        ctx.send(stream());
        return replace(ctx);
      });
      expect(errors).toEqual([failure]);
    }
  });

  it.each<[string, (ctx: Context) => void]>([
    ['a recorded body', (ctx) => ctx.send('text')],
    ['an abort', (ctx) => ctx.abort(new NotFoundError())],
  ])('reports how its end fails when it comes after %s', async (_case, respond) => {
    for (const value of [create, () => new Response(web() as never)]) {
      const errors = await errorsOf((ctx) => {
        respond(ctx);
        return value();
      });
      expect(errors).toEqual([failure]);
    }
  });

  it('reports how its end fails when it comes after the response, or replaces no body', async () => {
    const late = async (ctx: Context) => {
      await once(ctx.res, 'close');
      ctx.send(create());
    };
    const errors = await errorsOf((ctx) => {
      void late(ctx);
      return 'text';
    });
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('came after the response') }),
      failure,
    ]);
    const unused = (ctx: Context) => {
      ctx.replaceBody(create());
      return 'text';
    };
    expect(await errorsOf(unused)).toEqual([failure]);
  });

  it('is reported for HEAD', async () => {
    const reported = Promise.withResolvers<unknown>();
    const app = createApp({ onError: reported.resolve }).get('/', create);
    expect((await app.request('/', { method: 'HEAD' })).status).toBe(200);
    expect(await reported.promise).toBe(failure);
  });

  const unsent: [string, string, (ctx: Context, response: Response) => unknown][] = [
    ['GET', 'that comes after a body', (ctx, response) => ctx.send('text') ?? response],
    ['HEAD', 'to HEAD', (_ctx, response) => response],
    ['GET', 'that text replaces', (ctx, response) => ctx.respond(response) ?? ctx.send('text')],
  ];

  it.each(unsent)('of a FormData causes no rejection: %s %s', async (method, _case, respond) => {
    const form = new FormData();
    form.append('file', new File(['x'.repeat(200_000)], 'large.txt'));
    const response = new Response(form);
    const app = createApp().get('/', (ctx) => respond(ctx, response));
    expect((await app.request('/', { method })).status).toBe(200);
    // Node.js would reject a promise that nothing handles.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  });

  it.each(unsent)('of another server is canceled: %s %s', async (method, _case, respond) => {
    const canceled = Promise.withResolvers<void>();
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => canceled.resolve(),
    });
    const headers = { 'Content-Type': 'multipart/form-data; boundary=----formdata-undici-0123' };
    const response = new Response(body as never, { headers });
    const app = createApp().get('/', (ctx) => respond(ctx, response));
    expect((await app.request('/', { method })).status).toBe(200);
    await canceled.promise;
  });

  it('cannot be sent once it is canceled', async () => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', (ctx) => {
      const stream = new ReadableStream();
      expect(ctx.replaceBody(stream)).toBe(false);
      return stream;
    });
    expect((await app.request('/')).status).toBe(500);
    expect(onError.mock.calls).toEqual([[used, expect.anything()]]);
  });

  it.each<[string, (ctx: Context, stream: ReadableStream) => unknown, unknown]>([
    ['replaces no body', (ctx, stream) => ctx.replaceBody(stream), undefined],
    ['is replaced', (ctx, stream) => ctx.send(stream), endedEarly],
  ])('and %s is reported when its end fails without a reason', async (_case, use, error) => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', (ctx) => {
      use(ctx, new ReadableStream({ cancel: () => Promise.reject() }));
      ctx.send('text');
    });
    expect((await app.request('/')).status).toBe(200);
    await expect.poll(() => onError.mock.calls).toEqual([[error, expect.anything()]]);
  });

  it('is reported once when the body fails with the same error', async () => {
    const onError = vi.fn();
    const body = async function* () {
      yield 'begun';
      await setImmediate();
      throw failure;
    };
    const app = createApp({ onError }).get('/', (ctx) => {
      ctx.replaceBody(create());
      ctx.send(body());
    });
    await expect((await app.request('/')).text()).rejects.toThrow();
    expect(onError.mock.calls).toEqual([[failure, expect.anything()]]);
  });

  it('is not reported when a pipeline of its other form fails, which is', async () => {
    const fail = async function* (chunks: AsyncIterable<unknown>) {
      for await (const _chunk of chunks) throw failure;
      yield '';
    };
    const errors = await errorsOf((ctx) => {
      const source = Readable.from(['one', 'two'], { objectMode: false });
      ctx.send(source);
      ctx.replaceBody(pipeline(source, fail, new PassThrough(), () => undefined));
    });
    await setImmediate();
    expect(errors).toEqual([failure]);
  });

  it('reports no operation that ctx.signal has aborted', async () => {
    const { url } = await serve(createApp().use((ctx) => ctx.send(begun())));
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', async (ctx) => {
      const response = await fetch(url, { signal: ctx.signal });
      ctx.abort(new NotFoundError());
      return response;
    });
    expect((await app.request('/')).status).toBe(404);
    await setImmediate();
    expect(onError).not.toHaveBeenCalled();
  });
});

describe('after the client has left', () => {
  const failure = new Error('The write failed.');
  /** Continues when the client has left. */
  const left = ({ signal }: Context) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const own = async function* (ctx: Context) {
    const leaving = left(ctx);
    yield 'begun';
    await leaving;
    await setImmediate();
    throw failure;
  };
  const cleanup = async function* () {
    try {
      for (;;) {
        yield 'begun';
        await setImmediate();
      }
    } finally {
      await Promise.reject(failure);
    }
  };

  it.each<[string, (ctx: Context) => unknown]>([
    ['a generator throws', own],
    ['its finally throws', cleanup],
    [
      'cancel() of a stream of the web throws',
      () =>
        new ReadableStream({
          start: (controller) => controller.enqueue('begun'),
          cancel: () => {
            throw failure;
          },
        }),
    ],
    [
      'destroy() of a stream throws',
      () =>
        new Readable({
          read() {
            this.push('begun');
          },
          destroy: (_error, done) => done(failure),
        }),
    ],
    [
      'a generator throws behind another form of the body',
      (ctx) => {
        ctx.send(own(ctx));
        const source = ctx.responseBody as Readable;
        ctx.replaceBody(pipeline(source, new PassThrough(), () => undefined));
        return undefined;
      },
    ],
  ])('an error is reported once: %s', async (_case, create) => {
    const reported = Promise.withResolvers<unknown>();
    const onError = vi.fn(reported.resolve);
    const { port } = await serve(createApp({ onError }).get('/', create));
    const { socket } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await reported.promise).toBe(failure);
    await setImmediate();
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it.each([204, 205, 304])(
    'an error of a stream that a %i does not send is reported',
    async (status) => {
      const reported = Promise.withResolvers<unknown>();
      const app = createApp({ onError: reported.resolve }).get('/', (ctx) => {
        ctx.status = status;
        ctx.send(new ReadableStream({ cancel: () => Promise.reject(failure) }));
      });
      expect((await app.request('/')).status).toBe(status);
      expect(await reported.promise).toBe(failure);
    },
  );

  it('an error before the first chunk is reported', async () => {
    const started = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<unknown>();
    const app = createApp({ onError: reported.resolve }).get('/', async function* (ctx) {
      const leaving = left(ctx);
      started.resolve();
      await leaving;
      await setImmediate();
      yield* [] as string[];
      throw failure;
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await started.promise;
    socket.destroy();
    expect(await reported.promise).toBe(failure);
  });
});

it('a stream of objects is destroyed when the client leaves before its first chunk', async () => {
  const reading = Promise.withResolvers<void>();
  const stream = new Readable({ objectMode: true, read: () => reading.resolve() });
  const closed = closeOf(stream);
  const { port } = await serve(createApp().get('/', () => stream));
  const { socket } = connectRaw(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await reading.promise;
  socket.destroy();
  await closed;
  expect(stderr).not.toHaveBeenCalled();
});

it.each(['GET', 'HEAD'])(
  'a handler may return a stream of objects that it has sent, to %s',
  async (method) => {
    const app = createApp().get('/', (ctx) => {
      const stream = Readable.from(['one']);
      ctx.send(stream);
      return stream;
    });
    expect((await app.request('/', { method })).status).toBe(200);
    expect(stderr).not.toHaveBeenCalled();
  },
);

const thenFails = async function* () {
  yield 'first';
  throw new Error('Too late.');
};

it.each<[string, () => ResponseBody]>([
  ['a generator', thenFails],
  ['a stream of objects', () => Readable.from(thenFails())],
  ['a stream of the web', () => ReadableStream.from(thenFails())],
  ['a stream of bytes', () => Readable.from(thenFails(), { objectMode: false })],
])('%s that fails right after its first chunk is cut off after that chunk', async (_, create) => {
  const onError = vi.fn();
  const { port } = await serve(createApp({ onError }).use((ctx) => ctx.send(create())));
  const { socket, ended } = connectRaw(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await ended()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n5\r\nfirst\r\n$/);
  expect(onError.mock.calls).toEqual([[new Error('Too late.'), expect.anything()]]);
});

it('a reset of an upstream connection is reported, even if ctx.signal was read', async () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const received = Promise.withResolvers<void>();
  const onError = vi.fn();
  const app = createApp({ onError }).get('/', ({ signal }) =>
    (async function* () {
      yield `${signal.aborted}`;
      await received.promise;
      throw reset;
    })(),
  );
  const { url } = await serve(app);
  const response = await fetch(url);
  received.resolve();
  await expect(response.text()).rejects.toThrow();
  expect(onError.mock.calls).toEqual([[reset, expect.anything()]]);
});

describe('a proxied response', () => {
  const upstream = async () => {
    const { url } = await serve(createApp().use((ctx) => ctx.send(begun())));
    return url;
  };

  it.each<[string, (url: string, ctx: Context) => Promise<unknown>]>([
    ['fetch()', (url, { signal }) => fetch(url, { signal })],
    ['the body of fetch()', async (url, { signal }) => (await fetch(url, { signal })).body],
    [
      'request()',
      async (url, { signal }) => {
        const outgoing = request(url, { signal }).on('error', () => undefined);
        const [incoming] = await once(outgoing.end(), 'response');
        return incoming;
      },
    ],
    [
      'a generator',
      async (url, { signal }) =>
        (async function* () {
          yield* (await fetch(url, { signal })).body ?? [];
        })(),
    ],
    [
      'a signal with a reason',
      async (_url, { signal }) =>
        (async function* () {
          yield 'begun';
          await once(signal, 'abort');
          throw signal.reason;
        })(),
    ],
  ])('of %s is not an error when the client leaves', async (_case, proxy) => {
    const url = await upstream();
    const finished = Promise.withResolvers<RequestOutcome>();
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', (ctx) => {
      ctx.onFinish(finished.resolve);
      return proxy(url, ctx);
    });
    const { port } = await serve(app);
    const { socket } = connectRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(await finished.promise).toEqual({ status: 200, aborted: true });
    await setImmediate();
    await setImmediate();
    expect(onError).not.toHaveBeenCalled();
  });
});
