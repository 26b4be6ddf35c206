import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { connectRaw } from '@fairlead/test-support/raw-connection';
import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { describe as describeValue } from '../src/extend.js';
import {
  type Context,
  createApp,
  createRouter,
  json,
  type Middleware,
  type RequestOutcome,
} from '../src/index.js';
import { giveUp } from './support/give-up.js';
import { sender } from './support/send.js';
import { serve } from './support/serve.js';

let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

/** Requests `/items/7` of an application whose handler returns a value. */
async function get(handler: (ctx: Context) => unknown, method = 'GET') {
  const send = await sender(createApp().get('/items/:id', handler));
  return send(method, '/items/7');
}

async function* chunks() {
  yield 'one, ';
  yield Buffer.from('two');
}

class Money {
  constructor(readonly cents: number) {}
  toJSON() {
    return `${this.cents / 100} EUR`;
  }
}

describe('the return value of a handler', () => {
  it.each<[string, unknown, string]>([
    ['an object', { id: 7 }, '{"id":7}'],
    ['an array', [1, 2], '[1,2]'],
    ['text', 'seven', '"seven"'],
    ['a number', 7, '7'],
    ['false', false, 'false'],
    ['null', null, 'null'],
    ['empty objects', { filter: {}, rows: [{}] }, '{"filter":{},"rows":[{}]}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['an object of a class', new (class Empty {})(), '{}'],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['an object with toJSON', { price: new Money(750) }, '{"price":"7.5 EUR"}'],
    [
      'an iterable object with members, beside text with braces',
      {
        text: '{}',
        list: Object.assign(
          new (class {
            *[Symbol.iterator]() {}
          })(),
          { size: 1 },
        ),
      },
      '{"text":"{}","list":{"size":1}}',
    ],
    [
      'a nested error with members',
      { error: Object.assign(new Error('x'), { code: 'X' }), a: {} },
      '{"error":{"code":"X"},"a":{}}',
    ],
  ])('is sent as JSON: %s', async (_, value, text) => {
    for (const handler of [() => value, async () => value]) {
      const reply = await get(handler);
      expect(reply).toMatchObject({ status: 200, text });
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it.each<[string, () => unknown, string]>([
    ['bytes', () => Buffer.from('one, two'), 'application/octet-stream'],
    [
      'an ArrayBuffer',
      () => new TextEncoder().encode('one, two').buffer,
      'application/octet-stream',
    ],
    ['a node stream', () => Readable.from(chunks()), 'application/octet-stream'],
    ['a web stream', () => new Blob(['one, two']).stream(), 'application/octet-stream'],
    ['a Blob', () => new Blob(['one, two'], { type: 'text/csv' }), 'text/csv'],
    ['a Blob without a type', () => new Blob(['one, two']), 'application/octet-stream'],
    ['a File', () => new File(['one, two'], 'a.csv', { type: 'text/csv' }), 'text/csv'],
    ['an async generator', chunks, 'application/octet-stream'],
    ['an async iterable', () => ({ [Symbol.asyncIterator]: chunks }), 'application/octet-stream'],
  ])('is the body: %s', async (_, create, type) => {
    const reply = await get(create);
    expect(reply).toMatchObject({ status: 200, text: 'one, two' });
    expect(reply.headers['content-type']).toBe(type);
  });

  it('keeps a status and a type that were set', async () => {
    const reply = await get((ctx) => {
      ctx.status = 201;
      ctx.set('Content-Type', 'application/hal+json');
      return { id: 7 };
    });
    expect(reply).toMatchObject({ status: 201, text: '{"id":7}' });
    expect(reply.headers['content-type']).toBe('application/hal+json');
  });

  it.each([
    'application/json',
    'Application/JSON ; charset=utf-8',
    'text/json',
    'application/problem+json;charset=utf-8',
    'model/gltf+json',
  ])('is sent as JSON of the type %s', async (type) => {
    const reply = await get((ctx) => {
      ctx.set('Content-Type', type);
      return 'seven';
    });
    expect(reply).toMatchObject({ status: 200, text: '"seven"' });
    expect(reply.headers['content-type']).toBe(type);
  });

  it.each<[string, unknown, string]>([
    ['text/csv', 'id\n7\n', 'the text'],
    ['text/html; charset=utf-8', '<p>7</p>', 'the text'],
    ['application/x-ndjson', [7], 'the value, formatted as text,'],
    ['application/json-seq', { id: 7 }, 'the value, formatted as text,'],
    ['text/plain; a=json', null, 'the value, formatted as text,'],
  ])('is not sent as JSON of the type %s', async (type, value, returned) => {
    for (const respond of [() => value, async () => value]) {
      const reply = await get((ctx) => {
        ctx.status = 201;
        ctx.set('Content-Type', type);
        return respond();
      });
      expect(reply.status).toBe(500);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      expect(stderr.mock.lastCall?.[0]).toMatchObject({
        name: 'TypeError',
        message: `Cannot send the body of GET /items/:id as JSON: its Content-Type is '${type}'. Pass ${returned} to ctx.send(), or do not set the header.`,
      });
    }
  });

  it('of another type is not sent even if middleware catches the error', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await Promise.resolve(next()).catch(() => undefined);
        ctx.status = 204;
      })
      .get('/', async (ctx) => {
        ctx.set('Content-Type', 'text/csv');
        return 'id';
      });
    const response = await app.request('/');
    expect([response.status, response.headers.get('Content-Type')]).toEqual([204, null]);
  });

  it('may be passed to ctx.json() for any type', async () => {
    const reply = await get((ctx) => {
      ctx.set('Content-Type', 'application/vnd.item');
      ctx.json({ id: 7 });
    });
    expect(reply).toMatchObject({ status: 200, text: '{"id":7}' });
    expect(reply.headers['content-type']).toBe('application/vnd.item');
  });

  it('sends the size of a Blob, and only that for HEAD', async () => {
    const reply = await get(() => new Blob(['one, two']), 'HEAD');
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(reply.headers['content-length']).toBe('8');
  });

  it('yields to a response through ctx', async () => {
    const reply = await get((ctx) => {
      ctx.html('<p>7</p>');
      return { id: 7 };
    });
    expect(reply.text).toBe('<p>7</p>');
    const taken = await get((ctx) => {
      ctx.takeOver().end('raw');
      return { id: 7 };
    });
    expect(taken.text).toBe('raw');
  });

  it('responds with a status alone if it is undefined', async () => {
    const reply = await get((ctx) => {
      ctx.status = 202;
    });
    expect(reply).toMatchObject({ status: 202, text: '' });
  });

  it('of middleware is ignored', async () => {
    const app = createApp()
      .use(async (_ctx, next) => {
        await next();
        return 'ignored';
      })
      .use((_ctx, next) => {
        next();
        return 'ignored';
      })
      .get(
        '/',
        async (_ctx, next) => next(),
        () => 'handler',
      );
    expect(await (await app.request('/')).text()).toBe('"handler"');
  });

  it('is visible to middleware upstream', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.set('X-Body', String(ctx.responseBody));
      })
      .get('/', async () => [7]);
    expect((await app.request('/')).headers.get('X-Body')).toBe('[7]');
  });
});

describe('a returned stream that is not sent', () => {
  it.each<[string, (ctx: Context) => void]>([
    ['after a response through ctx', (ctx) => ctx.json({})],
    ['after a takeover', (ctx) => void ctx.takeOver().end()],
  ])('is destroyed %s', async (_, respond) => {
    const streams = [Readable.from(chunks()), Readable.from(chunks())];
    const cancel = vi.fn();
    const web = new ReadableStream({ cancel });
    await get((ctx) => {
      respond(ctx);
      return streams[0];
    });
    await get((ctx) => {
      respond(ctx);
      return new Response(web);
    });
    expect(streams[0]?.destroyed).toBe(true);
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('is destroyed after the request was aborted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stream = Readable.from(chunks());
    const app = createApp().get('/', giveUp(5), async () => {
      await promise;
      return stream;
    });
    expect((await app.request('/')).status).toBe(503);
    resolve();
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  it('is sent if it is the recorded body', async () => {
    const reply = await get((ctx) => {
      const stream = Readable.from(chunks());
      ctx.send(stream);
      return stream;
    });
    expect(reply.text).toBe('one, two');
  });
});

describe('a Response that a handler returns', () => {
  it('replaces the status and adds its headers', async () => {
    const reply = await get((ctx) => {
      ctx.status = 201;
      ctx.set('X-Kept', 'yes');
      ctx.set('X-Replaced', 'no');
      ctx.append('Vary', 'Origin');
      const headers = new Headers({
        'X-Replaced': 'yes',
        Vary: 'Accept',
        'Content-Type': 'text/x',
      });
      headers.append('Set-Cookie', 'a=1');
      headers.append('Set-Cookie', 'b=2');
      return new Response('teapot', { status: 418, headers });
    });
    expect(reply).toMatchObject({ status: 418, text: 'teapot' });
    expect(reply.headers).toMatchObject({
      'x-kept': 'yes',
      'x-replaced': 'yes',
      vary: 'Origin, Accept',
      'content-type': 'text/x',
      'set-cookie': ['a=1', 'b=2'],
    });
  });

  it('may have no body', async () => {
    expect(await get(() => new Response(null, { status: 204 }))).toMatchObject({ status: 204 });
    const redirect = await get(() => Response.redirect('http://localhost/x', 303));
    expect(redirect.headers.location).toBe('http://localhost/x');
  });

  it('may come from fetch(), which has decoded its body', async () => {
    const upstream = createApp().get('/', (ctx) => {
      ctx.set('Content-Encoding', 'gzip');
      ctx.set('X-Upstream', 'yes');
      return Buffer.from('1f8b0800000000000003cb48cdc9c907008', 'hex');
    });
    const reply = await get(async () => {
      const response = await upstream.request('/');
      return Object.defineProperty(response, 'url', { value: 'http://upstream/' });
    });
    expect(reply.headers).toMatchObject({ 'x-upstream': 'yes' });
    expect(reply.headers).not.toHaveProperty('content-encoding');
  });

  it.each([200, 304, 404])(
    'may come from fetch() with the method of the request, so that HEAD has the headers of GET: %i',
    async (status) => {
      const upstream = createApp().get('/', (ctx) => {
        ctx.status = status;
        ctx.set('Content-Encoding', 'gzip');
        ctx.set('ETag', '"1"');
        ctx.set('Content-Type', 'text/plain');
        return gzipSync('decoded');
      });
      const { url } = await serve(upstream);
      const app = createApp().get('/', ({ method }) => fetch(url, { method }));
      const send = async (method: string) => {
        const { status, headers } = await app.request('/', { method });
        for (const name of ['date', 'transfer-encoding']) headers.delete(name);
        return [status, ...headers];
      };
      const found = await send('GET');
      expect(found[0]).toBe(status);
      expect(await send('HEAD')).toEqual(found);
    },
  );

  it.each<[string, () => Promise<Response>, string]>([
    [
      'whose body was read',
      async () => {
        const response = new Response('once');
        await response.text();
        return response;
      },
      'Cannot send the Response: its body was already read. Create a new Response.',
    ],
    [
      'of a network error',
      async () => Response.error(),
      'Cannot send the Response: its status is 0. Create a new Response.',
    ],
  ])('%s is a logged 500', async (_, handler, message) => {
    expect(await get(handler)).toMatchObject({ status: 500 });
    expect(stderr.mock.calls).toEqual([[new TypeError(message)]]);
  });
});

describe('a response that is being sent', () => {
  it('is not cut by a later one, which is logged', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const reply = get((ctx) => {
      ctx.send(
        Readable.from(
          (async function* () {
            yield 'one, ';
            await promise;
            yield 'two';
          })(),
        ),
      );
      setImmediate(() => {
        ctx.json('late');
        resolve();
      });
    });
    expect((await reply).text).toBe('one, two');
    expect(stderr.mock.calls).toMatchObject([[{ message: expect.stringContaining('after') }]]);
  });

  it('may wrap the stream that it replaces', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        const body = ctx.responseBody as Readable;
        ctx.send(body.pipe(new PassThrough()));
      })
      .get('/', () => chunks());
    expect(await (await app.request('/')).text()).toBe('one, two');
  });

  it('reports a stream of objects', async () => {
    const app = createApp().get('/', () => Readable.from([{ id: 1 }]));
    expect((await app.request('/')).status).toBe(500);
    expect(stderr.mock.calls).toMatchObject([
      [
        {
          code: 'ERR_INVALID_ARG_TYPE',
          message: expect.stringMatching(
            /^Cannot send a chunk of the stream for GET \/: .* Yield text or bytes, such as JSON\.stringify\(row\) \+ '\\n'\. For server-sent events, return eventStream\(\) of @fairlead\/middleware\.$/,
          ),
        },
      ],
    ]);
  });

  it('reports a later chunk as the error of the request, without its query', async () => {
    const outcomes: RequestOutcome[] = [];
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).get(
      '/rows/:id',
      async function* (ctx) {
        ctx.onFinish((outcome) => void outcomes.push(outcome));
        yield 'one';
        yield { id: 1 } as never;
      },
    );
    const response = await app.request('/rows/7?token=secret');
    await expect(response.text()).rejects.toThrow();
    await expect.poll(() => errors).toHaveLength(1);
    expect(String(errors[0])).toMatch(/^TypeError: Cannot send a chunk .* for GET \/rows\/:id: /);
    expect(outcomes.map(({ error }) => error)).toEqual(errors);
    expect(outcomes[0]?.error).toBe(errors[0]);
  });

  it('reports an error of the stream itself as it is', async () => {
    const error = Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' });
    const errors: unknown[] = [];
    const app = createApp({ onError: (one) => void errors.push(one) }).get('/', async function* () {
      yield 'one';
      throw error;
    });
    await expect((await app.request('/')).text()).rejects.toThrow();
    await expect.poll(() => errors).toHaveLength(1);
    expect(errors[0]).toBe(error);
  });

  it('reports a stream that ends early', async () => {
    const app = createApp().get('/', () => {
      const stream = new PassThrough();
      stream.write('one, ');
      setImmediate(() => stream.destroy());
      return stream;
    });
    await expect(app.request('/').then((response) => response.text())).rejects.toThrow();
    await expect
      .poll(() => stderr.mock.calls)
      .toMatchObject([[{ code: 'ERR_STREAM_PREMATURE_CLOSE' }]]);
  });

  it('does not keep the length of a Blob that another body replaced', async () => {
    const reply = await get((ctx) => {
      ctx.send(new Blob(['a longer text']));
      ctx.send(Readable.from(['short']));
    });
    expect(reply.text).toBe('short');
    expect(reply.headers).not.toHaveProperty('content-length');
  });

  it.each(['abc', '1e1', '-1', ''])(
    "is a 500 for a stream with Content-Length '%s'",
    async (length) => {
      const reply = await get((ctx) => {
        ctx.set('Content-Length', length);
        return chunks();
      });
      expect(reply.status).toBe(500);
    },
  );

  it('has the length that a HEAD route states', async () => {
    const app = createApp().head('/', (ctx) => {
      ctx.set('Content-Length', '1234');
      ctx.status = 200;
    });
    const response = await app.request('/', { method: 'HEAD' });
    expect(response.headers.get('Content-Length')).toBe('1234');
  });
});

describe('a value that JSON cannot represent', () => {
  const observable = { subscribe: () => undefined };
  it.each<[string, unknown, string]>([
    ['a Map', new Map([[1, 2]]), 'it is a Map. Convert it with Object.fromEntries().'],
    ['a Set', new Set([1]), 'it is a Set. Convert it to an array.'],
    ['an Error', new Error('boom'), 'it is an Error. Throw it, or send its message.'],
    [
      'an error with members',
      Object.assign(new RangeError('x'), { code: 'X' }),
      'it is a RangeError. Throw it, or send its message.',
    ],
    ['a RegExp', /x/, 'it is a RegExp. Convert it to an object, an array or text.'],
    [
      'an observable',
      observable,
      'it is an Object. Convert it to a promise, as with firstValueFrom().',
    ],
    ['a generator', [1].values(), 'it is an Iterator. Convert it to an array.'],
    [
      'a nested promise',
      { users: [{ roles: Promise.resolve([]) }] },
      "'users.0.roles' is a Promise. Await it.",
    ],
    [
      'a Map beside a member toJSON that is no method',
      { toJSON: 'text', tags: new Map() },
      "'tags' is a Map. Convert it with Object.fromEntries().",
    ],
    ['a nested Map', { tags: new Map() }, "'tags' is a Map. Convert it with Object.fromEntries()."],
    [
      'a value that sends itself, in an envelope',
      { data: describeValue({}, { role: 'response', name: 'a chart' }) },
      "'data' is a chart. Return it unchanged, and let interceptors pass it on.",
    ],
    ['a symbol', Symbol('x'), 'it is of type symbol. Convert it to text.'],
    [
      'a function',
      () => 7,
      'it is of type function. Call it. If the handler is a factory, call the factory where you register the route.',
    ],
    [
      'a function with parameters',
      (_socket: unknown) => 7,
      'it is of type function. Call it. If the handler is a factory, call the factory where you register the route. If it should open WebSocket connections, wrap it in websocket(), or add @UseInterceptor(websocketUpgrade()) to the method.',
    ],
  ])('is a logged 500 that names the route and the type: %s', async (_, value, message) => {
    for (const handler of [() => value, (ctx: Context) => ctx.json(value)]) {
      stderr.mockClear();
      const reply = await get(handler);
      expect(reply.status).toBe(500);
      expect(reply.text).not.toContain('JSON');
      expect(stderr.mock.calls).toEqual([
        [new TypeError(`Cannot send the response body of GET /items/:id as JSON: ${message}`)],
      ]);
    }
  });

  it('is undefined, which only ctx.json() receives', async () => {
    expect((await get((ctx) => ctx.json(undefined))).status).toBe(500);
    expect(stderr.mock.calls[0]?.[0]).toMatchObject({
      message: expect.stringMatching(/ it is of type undefined\. Pass null, or send no body\.$/),
    });
  });

  it.each<[string, unknown]>([
    ['a BigInt', 7n],
    [
      'a cycle',
      (() => {
        const self: Record<string, unknown> = {};
        self.self = self;
        return self;
      })(),
    ],
  ])('is a logged 500: %s', async (_, value) => {
    expect((await get(() => value)).status).toBe(500);
    expect(stderr.mock.calls[0]?.[0]).toMatchObject({
      message: expect.stringMatching(
        /^Cannot send the response body of GET \/items\/:id as JSON: ./,
      ),
    });
  });
});

describe('a route that sends no response', () => {
  it.each<[string, (ctx: Context) => unknown]>([
    ['returns nothing', () => undefined],
    ['resolves to nothing', async () => undefined],
  ])('is a logged 500: its handler %s', async (_, handler) => {
    const reply = await get(handler);
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'NO_RESPONSE' });
    expect(stderr.mock.calls[0]?.[0]).toMatchObject({
      message:
        'The route GET /items/:id sent no response. Return a value from its handler or respond through ctx, and make sure that every middleware awaits or returns next().',
    });
  });

  it.each<[string, Middleware, string]>([
    [
      'middleware returns a Response',
      () => new Response('no', { status: 401 }),
      "The middleware 'middleware#0' returned an instance of Response, and did not respond to GET /. Only what the last function of a route returns becomes the response. Call ctx.respond(value), return next(), or pass 'middleware#0' as the last function.",
    ],
    [
      'middleware resolves to an object',
      async () => ({ error: 'no' }),
      'returned an object, and did not respond to GET /.',
    ],
    [
      'the handler sets ctx.body',
      (ctx) => {
        ctx.body = { hello: 1 };
      },
      'Setting ctx.body does not respond to GET /: it is the body of the request. Return a value, or pass it to ctx.json().',
    ],
    [
      'the handler pipes a stream into ctx.res',
      (ctx) => {
        Readable.from(['a']).pipe(ctx.res);
      },
      'A stream is piped into ctx.res, which does not respond to GET /. Return the stream, or pipe it into ctx.takeOver().',
    ],
  ])('is a logged 500 with the reason if %s', async (_, middleware, message) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).use(middleware);
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining(message), code: 'NO_RESPONSE' }),
    ]);
  });

  it('is a logged 500 that names a function that is not the last one', async () => {
    const errors: unknown[] = [];
    const list = () => ['ada'];
    const app = createApp({ onError: (error) => errors.push(error) }).get('/', list, (_ctx, next) =>
      next(),
    );
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining("pass 'list' as the last function."),
      }),
    ]);
  });

  it('is a logged 500 if next() was neither awaited nor returned, and its response is logged', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const errors: unknown[] = [];
    const app = createApp({
      onError: (error) => errors.push(error) && errors.length === 2 && late.resolve(error),
    })
      .use((_ctx, next) => {
        void next();
      })
      .get('/slow', async (ctx) => {
        await promise;
        ctx.json('late');
      });
    expect((await app.request('/slow')).status).toBe(500);
    resolve();
    expect(await late.promise).toMatchObject({
      message:
        'A response to GET /slow came after the response was sent. Await or return every promise, including that of next().',
      stack: expect.stringContaining('handler-results.test.ts'),
    });
    expect(errors[0]).toMatchObject({ code: 'NO_RESPONSE' });
  });

  it.each<[string, (ctx: Context) => void]>([
    ['ctx.html()', (ctx) => ctx.html('late')],
    ['ctx.redirect()', (ctx) => ctx.redirect('/late')],
    ['ctx.send()', (ctx) => ctx.send('late')],
    ['ctx.respond()', (ctx) => ctx.respond('late')],
  ])('is logged if it comes after the response was sent: %s', async (_, respond) => {
    const errors: unknown[] = [];
    const contexts: Context[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).get('/', (ctx) => {
      contexts.push(ctx);
      return 1;
    });
    expect(await (await app.request('/')).text()).toBe('1');
    for (const ctx of contexts) respond(ctx);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('GET / came after the response was sent.'),
      }),
    ]);
  });

  it('is a logged 500 if middleware neither responds nor calls next()', async () => {
    const app = createApp()
      .use(() => undefined)
      .get('/', () => 1);
    expect((await app.request('/')).status).toBe(500);
    expect(stderr.mock.calls[0]?.[0]).toMatchObject({
      message:
        "No middleware responded to GET /: 'middleware#0' neither responded nor called next(). Make sure that every middleware responds, or awaits or returns next().",
    });
  });

  it('may have passed the request on with next()', async () => {
    const app = createApp().get('/', (_ctx, next) => next());
    expect((await app.request('/')).status).toBe(404);
    expect(stderr).not.toHaveBeenCalled();
  });
});

it('a response after a timeout is not logged', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const app = createApp()
    .use(giveUp(10))
    .get('/', async (ctx) => {
      await promise;
      ctx.json('late');
      done.resolve();
    });
  expect((await app.request('/')).status).toBe(503);
  stderr.mockClear();
  resolve();
  await done.promise;
  expect(stderr).not.toHaveBeenCalled();
});

describe('a body that no parser has read', () => {
  const app = createApp()
    .use(json())
    .use((ctx, next) => {
      ctx.state.seen = ctx.body;
      return next();
    })
    .post('/', (ctx) => ({ body: ctx.body ?? 'none' }))
    .post('/unread', () => 'fine')
    .post('/stream', (ctx) => ctx.bodyStream())
    .route(
      '/nested',
      createRouter().post('/', ({ body }) => ({ body })),
    );
  const post = (path: string, type?: string, body?: string) =>
    app.request(path, {
      method: 'POST',
      ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
      headers: type === undefined ? {} : { 'Content-Type': type },
    });

  it.each([
    ['/', 'text/plain', "the body of type 'text/plain'"],
    ['/nested', 'application/xml', "the body of type 'application/xml'"],
    ['/', undefined, 'a body without a Content-Type'],
    ['/', 'application/json\x80x', "the body of type 'application/json\x80x'"],
  ])('is a 415 when the handler of %s reads it: %s', async (path, type, body) => {
    const response = await post(path, type, 'x');
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({
      code: 'BODY_NOT_READ',
      detail: `Cannot read ${body}. Send a supported media type, such as application/json.`,
    });
  });

  it('is no error if the handler ignores it or reads it as a stream', async () => {
    expect(await (await post('/unread', 'text/plain', 'x')).json()).toBe('fine');
    expect(await (await post('/stream', 'text/plain', 'x')).text()).toBe('x');
  });

  it('is logged if it is JSON, because no parser is installed', async () => {
    const bare = createApp().post('/', ({ body }) => body);
    const headers = { 'Content-Type': 'application/json' };
    const response = await bare.request('/', { method: 'POST', body: '{}', headers });
    expect(await response.json()).toMatchObject({
      status: 415,
      detail: "Cannot read the body of type 'application/json'.",
    });
    expect(stderr.mock.calls).toMatchObject([
      [
        {
          cause: new Error(
            'No middleware parses application/json before this route. Add app.use(json()), or declare the body of the route.',
          ),
        },
      ],
    ]);
  });

  it('is no error if it is empty', async () => {
    expect(await (await post('/', 'text/plain')).json()).toEqual({ body: 'none' });
    expect(await (await post('/', 'application/json', '')).json()).toEqual({ body: 'none' });
  });

  it('is no error if it is empty and sent in chunks', async () => {
    const { port } = await serve(app);
    const { socket, ended } = connectRaw(port);
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    );
    expect(await ended()).toContain('{"body":"none"}');
  });

  it('may be read as undefined by the error handler', async () => {
    const bodies: unknown[] = [];
    const failing = createApp({ onError: (_error, ctx) => bodies.push(ctx.body) }).post('/', () => {
      throw new Error('boom');
    });
    const response = await failing.request('/', { method: 'POST', body: 'x' });
    expect([response.status, bodies]).toEqual([500, [undefined]]);
  });
});
