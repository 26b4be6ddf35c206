import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import type { Socket } from 'node:net';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Application,
  BadRequestError,
  createApp,
  createRouter,
  errorHandler,
  json,
  notFoundHandler,
  raw,
} from '../src/index.js';
import { serve } from './support/serve.js';

/** Keeps the framework's stderr output out of the test output. */
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

function createExample() {
  const router = createRouter()
    .get('/', (ctx) => ctx.json([1, 'é']))
    .post('/', (ctx) => {
      ctx.status = 201;
      ctx.set('Location', '/users/1');
      ctx.json({ body: ctx.body ?? null, type: ctx.get('Content-Type') ?? null });
    })
    .get('/:id', (ctx) => ctx.json({ id: ctx.params.id, query: ctx.query }))
    .delete('/:id', (ctx) => {
      ctx.status = 204;
    })
    .get('/:id/page', (ctx) => ctx.html('<p>é</p>'))
    .get('/:id/bytes', (ctx) => ctx.send(Uint8Array.of(0, 255, 13, 10)))
    .get('/:id/stream', (ctx) => ctx.send(Readable.from(['one', 'two'])))
    .get('/:id/cookies', (ctx) => {
      ctx.append('Set-Cookie', ['a=1', 'b=2']);
      ctx.send('');
    })
    .get('/:id/old', (ctx) => ctx.redirect('/users/2', 301))
    .get('/:id/unchanged', (ctx) => {
      ctx.status = 304;
    })
    .get('/:id/raw', (ctx) => {
      ctx.takeOver().writeHead(203, 'Odd Phrase', { 'X-Raw': '1' }).end('raw');
    })
    .get('/:id/refused', () => {
      throw new BadRequestError('Why.', { headers: { 'X-Why': '1' } });
    })
    .get('/:id/broken', () => {
      throw new Error('secret');
    });
  return createApp()
    .use(errorHandler(), json({ limit: 100 }))
    .route('/users', router)
    .use(notFoundHandler());
}

const JSON_POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

const cases: readonly (readonly [string, RequestInit])[] = [
  ['/users', {}],
  ['/users', { method: 'HEAD' }],
  ['/users', { method: 'OPTIONS' }],
  ['/users', { method: 'PUT', body: 'text' }],
  ['/users', { ...JSON_POST, body: '{"name":"Zoë"}' }],
  ['/users', { ...JSON_POST, body: '{"name":' }],
  ['/users', { ...JSON_POST, body: JSON.stringify('x'.repeat(1000)) }],
  ['/users', JSON_POST],
  ['/users', { method: 'POST', body: 'plain' }],
  ['/users', { method: 'POST', body: new URLSearchParams({ a: '1' }) }],
  ['/users/a%2Fb?x=1&x=2&y', {}],
  ['/users/%zz', {}],
  ['/users/7', { method: 'DELETE' }],
  ['/users/7/page', {}],
  ['/users/7/bytes', {}],
  ['/users/7/stream', {}],
  ['/users/7/stream', { method: 'HEAD' }],
  ['/users/7/cookies', {}],
  ['/users/7/old', { redirect: 'manual' }],
  ['/users/7/unchanged', {}],
  ['/users/7/raw', {}],
  ['/users/7/refused', {}],
  ['/users/7/broken', {}],
  ['/nowhere', {}],
];

/** Headers that depend on the time or the connection. fetch requests another connection for HEAD. */
const NOT_COMPARED = ['date', 'connection', 'keep-alive'];

async function describeResponse(response: Response) {
  const headers = [...response.headers].filter(([name]) => !NOT_COMPARED.includes(name));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, statusText: response.statusText, headers, bytes };
}

describe('app.request()', () => {
  it.each(cases)('responds as over a socket: %s %j', async (path, init) => {
    const { url } = await serve(createExample());
    const overSocket = await describeResponse(await fetch(new URL(path, url), init));
    const inProcess = await describeResponse(await createExample().request(path, init));
    expect(inProcess).toEqual(overSocket);
  });

  it('needs no port and supports concurrent calls', async () => {
    const app = createExample();
    const ids = Array.from({ length: 50 }, (_, id) => String(id));
    const replies = await Promise.all(
      ids.map(async (id) => (await app.request(`/users/${id}`)).json()),
    );
    expect(replies).toEqual(ids.map((id) => ({ id, query: {} })));
  });

  it('sends the path unchanged', async () => {
    const app = createApp().use((ctx) => ctx.send(`${ctx.path}?${ctx.searchParams}`));
    const response = await app.request('/a%2Fb/c?d=%20e');
    expect(await response.text()).toBe('/a%2Fb/c?d=+e');
  });

  it('rejects an init that is not an object', async () => {
    const call: Promise<Response> = Reflect.apply(createApp().request, undefined, ['/', 'POST']);
    await expect(call).rejects.toMatchObject({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: "options of app.request() must be an object: got 'POST'.",
    });
  });

  it('passes on members of RequestInit that it does not know', async () => {
    const app = createApp().use((ctx) => ctx.json(ctx.method));
    const init: RequestInit & { futureMember: number } = { method: 'PUT', futureMember: 1 };
    expect(await (await app.request('/', init)).json()).toBe('PUT');
    expect((await app.request('/', new Request('http://localhost'))).status).toBe(200);
  });

  it('is bound to the application, like app.fetch() and app.handle()', async () => {
    const { fetch, request, handle } = createApp().use((ctx) => ctx.json(ctx.path));
    expect(await (await request('/a')).json()).toBe('/a');
    expect(await (await fetch(new Request('http://localhost/b'))).json()).toBe('/b');
    expect(handle).toBeTypeOf('function');
  });
});

describe('a client whose address app.fetch() is not told', () => {
  it('is warned about once, when the application reads the address, except in tests', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const app = createApp()
      .get('/ip', (ctx) => ctx.ip)
      .get('/', (ctx) => ctx.protocol);
    const fetch = (path: string, ip?: string) =>
      app.fetch(new Request(`http://a${path}`), ip === undefined ? {} : { ip });
    await fetch('/ip?a');
    vi.stubEnv('NODE_ENV', 'production');
    await fetch('/');
    await fetch('/ip', '127.0.0.1');
    await app.request('/ip');
    expect(emit).not.toHaveBeenCalled();
    await fetch('/ip?a');
    await fetch('/ip');
    expect(emit.mock.calls.map(([message]) => message)).toEqual([
      "app.fetch() was not told who sends the request GET /ip, so ctx.ip is 127.0.0.1 for every client: they share one rate limit, and logs name none of them. Pass the address that the other server knows, as in app.fetch(request, { ip: '192.0.2.7' }), or { ip: '127.0.0.1' } if the caller is this process.",
    ]);
    vi.unstubAllEnvs();
  });
});

describe('app.fetch()', () => {
  const seen = () => createApp().use((ctx) => ctx.json([ctx.ip, ctx.protocol, ctx.req.url]));

  it.each<[string, Parameters<Application['fetch']>[1], unknown[]]>([
    ['http://a/b/../c?d', undefined, ['127.0.0.1', 'http', '/c?d']],
    ['https://a/', {}, ['127.0.0.1', 'https', '/']],
    ['http://a/', { ip: '10.0.0.1' }, ['10.0.0.1', 'http', '/']],
    ['http://a/', { ip: '2001:db8::1' }, ['2001:db8::1', 'http', '/']],
    ['http://a/c', { target: '/b/../c?d#~!' }, ['127.0.0.1', 'http', '/b/../c?d#~!']],
    ['http://a/', { ip: undefined, target: undefined }, ['127.0.0.1', 'http', '/']],
  ] as never)('sends a request for %s with the options %j', async (url, options, expected) => {
    expect(await (await seen().fetch(new Request(url), options)).json()).toEqual(expected);
  });

  it.each([
    [{ target: 'b' }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ target: '' }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ target: '/a b' }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ target: '/é' }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ target: '/a\r\n' }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ target: ['/a'] }, "target of app.fetch() must be a path such as '/users?page=2'"],
    [{ ip: 'localhost' }, 'ip of app.fetch() must be an IPv4 or IPv6 address'],
    [{ ip: 127 }, 'ip of app.fetch() must be an IPv4 or IPv6 address'],
    [{ Target: '/' }, "app.fetch() has no option 'Target'. Did you mean 'target'?"],
  ])('rejects the options %j', async (options, message) => {
    await expect(seen().fetch(new Request('http://a/'), options as object)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    });
  });

  it('accepts a Request with its host and headers', async () => {
    const app = createApp().use((ctx) => ctx.json([ctx.get('Host'), ctx.get('X-One'), ctx.path]));
    const request = new Request('http://example.com:81/a', { headers: { 'X-One': '1' } });
    expect(await (await app.fetch(request)).json()).toEqual(['example.com:81', '1', '/a']);
  });

  it('accepts a Request with a streamed body', async () => {
    const body = new Blob(['{"a":1}']).stream();
    const request = new Request('http://localhost/users', { ...JSON_POST, body, duplex: 'half' });
    const response = await createExample().fetch(request);
    expect(await response.json()).toMatchObject({ body: { a: 1 } });
  });

  it("frames the body by its length, regardless of the Request's headers", async () => {
    const app = createApp().use(json(), (ctx) => ctx.json([ctx.body, ctx.get('Content-Length')]));
    const headers = {
      ...JSON_POST.headers,
      'Transfer-Encoding': 'chunked',
      'Content-Length': '99',
    };
    const response = await app.request('/', { method: 'POST', headers, body: '[1]' });
    expect(await response.json()).toEqual([[1], '3']);
  });

  const large = 'x'.repeat(3_000_000);
  const form = (): FormData => {
    const data = new FormData();
    data.append('file', new File([large], 'large.txt'));
    return data;
  };

  it.each<[string, () => NonNullable<RequestInit['body']>]>([
    ['text', () => large],
    ['a Blob', () => new Blob([large])],
    ['a FormData', form],
    ['a stream', () => new Blob([large]).stream()],
  ])('sends all of a large body, or ends it unread: %s', async (_case, create) => {
    const app = createApp()
      .post('/read', async (ctx) => (await Array.fromAsync(ctx.bodyStream())).join('').length)
      .post('/unread', () => 'unread');
    const send = async (path: string) => {
      const init = { method: 'POST', body: create(), duplex: 'half' } as const;
      return (await app.request(path, init)).json();
    };
    expect(await send('/read')).toBe((await new Response(create()).text()).length);
    expect(await send('/unread')).toBe('unread');
    const caller = new AbortController();
    const { signal } = caller;
    const init = { method: 'POST', body: create(), duplex: 'half', signal } as const;
    const hanging = createApp().use(() => {
      caller.abort();
      return new Promise(() => undefined);
    });
    await expect(hanging.request('/', init)).rejects.toThrow('aborted');
  });

  describe('with a body that arrives in parts', () => {
    const PART = new TextEncoder().encode('part');

    /** A body that waits after its first part, and what cancels it. Its source never ends. */
    const waiting = () => {
      const canceled = Promise.withResolvers<unknown>();
      const { promise: started, resolve: start } =
        Promise.withResolvers<ReadableStreamDefaultController>();
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(PART);
          start(controller);
        },
        cancel: (reason) => {
          canceled.resolve(reason);
          return new Promise(() => undefined);
        },
      });
      const init = { method: 'POST', body, duplex: 'half' } as const;
      return { init, started, canceled: canceled.promise };
    };

    it('runs the handler meanwhile, without a length', async () => {
      const { init, started } = waiting();
      const app = createApp().post('/', async (ctx) => {
        const chunks: string[] = [];
        for await (const chunk of ctx.bodyStream()) {
          if (chunks.push(String(chunk)) === 1) (await started).close();
        }
        return [chunks, ctx.get('Content-Length') ?? null, ctx.get('Transfer-Encoding')];
      });
      const response = await app.request('/', init);
      expect(await response.json()).toEqual([['part'], null, 'chunked']);
    });

    it.each(['4', '04', 'four'])('keeps a valid Content-Length: %s', async (length) => {
      const { init, started } = waiting();
      const app = createApp().delete('/', async (ctx) => {
        (await started).close();
        const chunks = await Array.fromAsync(ctx.bodyStream(), String);
        return [chunks, ctx.get('Content-Length') ?? null];
      });
      const headers = { 'Content-Length': length };
      const response = await app.request('/', { ...init, method: 'DELETE', headers });
      expect(await response.json()).toEqual([['part'], length === 'four' ? null : length]);
    });

    it.each(['3', '5'])('rejects a wrong Content-Length: %s', async (length) => {
      const { init, started } = waiting();
      const app = createApp().post('/', async (ctx) => {
        (await started).close();
        return Array.fromAsync(ctx.bodyStream(), String);
      });
      const headers = { 'Content-Length': length };
      await expect(app.request('/', { ...init, headers })).rejects.toThrow(
        'app.fetch() cannot send the body of the request: its Content-Length is wrong.',
      );
    });

    it('cancels the body when the response is complete before', async () => {
      const { init, canceled } = waiting();
      const app = createApp().use((ctx) => ctx.send('no'));
      expect(await (await app.request('/', init)).text()).toBe('no');
      await canceled;
    });

    it('cancels the body with the reason of the signal', async () => {
      const { init, canceled } = waiting();
      const caller = new AbortController();
      const reason = new Error('No longer needed.');
      const aborted = Promise.withResolvers<void>();
      const app = createApp().use((ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.resolve());
        caller.abort(reason);
        return new Promise(() => undefined);
      });
      await expect(app.request('/', { ...init, signal: caller.signal })).rejects.toBe(reason);
      expect(await canceled).toBe(reason);
      await aborted.promise;
    });

    it('cancels the body when the application closes', async () => {
      const { init, canceled } = waiting();
      const app: Application = createApp().use(() => app.close());
      await expect(app.request('/', init)).rejects.toMatchObject({ code: 'APPLICATION_CLOSED' });
      await canceled;
    });

    it.each([
      'application/octet-stream',
      'multipart/form-data; boundary=----formdata-undici-012345678901',
    ])('reads an endless body only up to the limit of a parser: %s', async (type) => {
      const canceled = vi.fn();
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: canceled,
      });
      const app = createApp().use(raw({ type: '*/*' }), (ctx) => ctx.json(ctx.body));
      const headers = { 'Content-Type': type };
      const response = await app.request('/', { method: 'POST', body, duplex: 'half', headers });
      expect(response.status).toBe(413);
      await response.text();
      await expect.poll(() => canceled).toHaveBeenCalled();
    });

    it('cancels a form of a Request that was created from another without a rejection', async () => {
      const form = new FormData();
      for (let index = 0; index < 5; index += 1)
        form.set(`file${index}`, new Blob(['x'.repeat(1_000_000)]));
      const original = new Request('http://localhost/', { method: 'POST', body: form });
      const app = createApp().post('/', () => 'unread');
      expect(await (await app.fetch(new Request(original))).json()).toBe('unread');
      // Node.js would reject a promise that nothing handles.
      for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
    });

    const gone = new Error('The disk is gone.');
    const withoutReason = new Error(
      'app.fetch() cannot send the body of the request: it failed without a reason. Pass an Error to controller.error().',
    );
    const failures: [string, (controller: ReadableStreamDefaultController) => void, unknown][] = [
      ['fails', (one) => one.error(gone), gone],
      ['fails without a reason', (one) => one.error(), withoutReason],
      ['has text', (one) => one.enqueue('text'), expect.any(TypeError)],
    ];

    it.each(failures)('rejects when the body %s', async (_case, act, error) => {
      const { init, started } = waiting();
      act(await started);
      await expect(createApp().request('/', init)).rejects.toEqual(error);
    });

    it.each(failures)('rejects when the body %s meanwhile', async (_case, act, error) => {
      const onError = vi.fn();
      const { init, started } = waiting();
      const app = createApp({ onError }).post('/', async (ctx) => {
        act(await started);
        return Array.fromAsync(ctx.bodyStream(), String);
      });
      await expect(app.request('/', init)).rejects.toEqual(error);
      expect(onError).not.toHaveBeenCalled();
    });

    it.each(failures)('cuts off the response when the body %s', async (_case, act, error) => {
      const onError = vi.fn();
      const { init, started } = waiting();
      const app = createApp({ onError }).post('/', async function* (ctx) {
        yield 'begun';
        yield* ctx.bodyStream();
      });
      const response = await app.request('/', init);
      act(await started);
      await expect(response.text()).rejects.toEqual(error);
      expect(onError).not.toHaveBeenCalled();
    });
  });

  it.each(['GET', 'HEAD'])(
    'closes its connection after the response to %s, read or not',
    async (method) => {
      const sockets: Socket[] = [];
      const app = createApp().use((ctx) => {
        sockets.push(ctx.req.socket);
        ctx.send('text');
      });
      await app.request('/', { method });
      await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true]);
    },
  );

  it('resolves before a streamed body ends', async () => {
    const stream = new Readable({ read: () => undefined });
    stream.push('first ');
    const response = await createApp()
      .use((ctx) => ctx.send(stream))
      .request('/');
    expect(response.status).toBe(200);
    stream.push('last');
    stream.push(null);
    expect(await response.text()).toBe('first last');
  });

  it("aborts the handler's signal when the caller aborts, and rejects with the reason", async () => {
    const caller = new AbortController();
    const aborted = Promise.withResolvers<void>();
    const reason = new Error('No longer needed.');
    const app = createApp().use(async (ctx) => {
      ctx.signal.addEventListener('abort', () => aborted.resolve());
      caller.abort(reason);
      await aborted.promise;
    });
    await expect(app.request('/', { signal: caller.signal })).rejects.toBe(reason);
    await aborted.promise;
  });

  it.each<[string, Error | undefined]>([
    ['an AbortError', undefined],
    ['the reason of the caller', new Error('Too slow.')],
  ])(
    'rejects with %s when the caller aborts while it reads the response',
    async (_error, reason) => {
      const caller = new AbortController();
      const app = createApp().use((ctx) => {
        const endless = new PassThrough();
        endless.write('a');
        ctx.send(endless);
      });
      const response = await app.request('/', { signal: caller.signal });
      const body = response.text();
      caller.abort(reason);
      await expect(body).rejects.toBe(caller.signal.reason);
      expect(caller.signal.reason).toMatchObject(reason ?? { name: 'AbortError' });
    },
  );

  it('rejects with the reason when the caller aborts while the request is read', async () => {
    const caller = new AbortController();
    const reason = new Error('Too slow.');
    const body = new ReadableStream({ pull: () => caller.abort(reason) });
    const init = { method: 'POST', body, duplex: 'half', signal: caller.signal } as const;
    await expect(createApp().request('/', init)).rejects.toBe(reason);
  });

  it('rejects immediately with the reason of an aborted signal', async () => {
    const handler = vi.fn();
    const reason = new Error('Too late.');
    const signal = AbortSignal.abort(reason);
    await expect(createApp().use(handler).request('/', { signal })).rejects.toBe(reason);
    expect(handler).not.toHaveBeenCalled();
  });

  it('rejects when the connection closes before the response starts', async () => {
    const app = createApp().use((ctx) => {
      ctx.takeOver().destroy();
    });
    await expect(app.request('/')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('returns a body that fails when the connection closes during the response', async () => {
    const app = createApp().use((ctx) => {
      const chunks = function* () {
        yield 'half';
        throw new Error('The disk is gone.');
      };
      ctx.send(Readable.from(chunks()));
    });
    const response = await app.request('/');
    await expect(response.text()).rejects.toThrow();
  });
});

describe('an unread response', () => {
  const MANY = 20;

  /** Makes many calls without keeping a reference to their responses. */
  const drop = async (app: Application) => {
    for (let count = 0; count < MANY; count += 1) await app.request('/');
  };

  it('closes its file when it is garbage-collected', async () => {
    const files: ReadStream[] = [];
    const app = createApp().use((ctx) => {
      // Larger than the buffers of a connection.
      const file = createReadStream(process.execPath);
      files.push(file);
      ctx.send(file);
    });
    await drop(app);
    await expect.poll(() => closedAfterCollection(files)).toHaveLength(MANY);
  });

  it('closes its stream and aborts the signal when it is garbage-collected, even if idle', async () => {
    const streams: Readable[] = [];
    const aborted = vi.fn();
    const app = createApp().use((ctx) => {
      ctx.signal.addEventListener('abort', aborted);
      const stream = begunStream();
      streams.push(stream);
      ctx.send(stream);
    });
    await drop(app);
    await expect.poll(() => closedAfterCollection(streams)).toHaveLength(MANY);
    expect(aborted).toHaveBeenCalledTimes(MANY);
  });
});

describe('a response that is being read', () => {
  it.each<[string, (response: Response) => Promise<string>]>([
    ['as text', (response) => response.text()],
    ['from a clone', (response) => response.clone().text()],
    ['through a pipe', ({ body }) => new Response(body?.pipeThrough(new TransformStream())).text()],
    ['slowly', ({ body }) => readSlowly(body ?? new ReadableStream())],
  ])('%s is not garbage-collected, even without references', async (_, read) => {
    const begun = Promise.withResolvers<void>();
    const stream = begunStream();
    const app = createApp().use((ctx) => ctx.send(stream));
    const call = async () => {
      const text = read(await app.request('/'));
      begun.resolve();
      return text;
    };
    const text = call();
    await begun.promise;
    await collectOnce();
    stream.push('last');
    stream.push(null);
    expect(await text).toBe('first last');
  });
});

describe('a canceled response body', () => {
  it('destroys its source stream', async () => {
    const stream = begunStream();
    const app = createApp().use((ctx) => ctx.send(stream));
    const response = await app.request('/');
    await response.body?.cancel();
    await expect.poll(() => stream.closed).toBe(true);
  });
});

describe('app.close()', () => {
  it('closes the connections of incomplete responses', async () => {
    const stream = begunStream();
    const app = createApp().use((ctx) => ctx.send(stream));
    const response = await app.request('/');
    await app.close();
    expect(stream.destroyed).toBe(true);
    await expect(response.text()).rejects.toThrow('aborted');
  });

  it('keeps a completely sent response readable', async () => {
    const app = createApp().use((ctx) => ctx.send('text'));
    const response = await app.request('/');
    await app.close();
    expect(await response.text()).toBe('text');
  });

  it('rejects pending requests, and aborts their signals before it closes plugins', async () => {
    const log: string[] = [];
    const begun = Promise.withResolvers<void>();
    const app = createApp();
    await app.plugin({ name: 'store', install() {}, close: () => void log.push('store closed') });
    app.use((ctx) => {
      ctx.signal.addEventListener('abort', () => log.push('aborted'));
      begun.resolve();
      return new Promise(() => undefined);
    });
    const reply = app.request('/');
    await begun.promise;
    const closed = app.close();
    await expect(reply).rejects.toMatchObject({ code: 'APPLICATION_CLOSED' });
    await closed;
    expect(log).toEqual(['aborted', 'store closed']);
  });

  it('rejects a request whose body is still being read', async () => {
    const app = createApp().use((ctx) => ctx.send('text'));
    const body = new ReadableStream({
      async pull(controller) {
        await app.close();
        controller.close();
      },
    });
    const reply = app.request('/', { method: 'POST', body, duplex: 'half' });
    await expect(reply).rejects.toMatchObject({ code: 'APPLICATION_CLOSED' });
  });
});

it('an application does not collect the connections of requests that have ended', async () => {
  const app = createApp().use((ctx) => ctx.send('text'));
  const send = async (): Promise<WeakRef<Duplex>> => {
    const connection = app.connect({});
    connection.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await once(connection.resume(), 'close');
    return new WeakRef(connection);
  };
  const connections = await Promise.all(Array.from({ length: 20 }, send));
  await expect
    .poll(() => {
      collectGarbage();
      return connections.filter((connection) => connection.deref() !== undefined).length;
    })
    // Others may keep the last ones.
    .toBeLessThan(5);
});

it.each(['//a/b', '//', '///'])('the path %s is not read as a host', async (path) => {
  const app = createApp().use((ctx) => ctx.send(ctx.path));
  expect(await (await app.request(path)).text()).toBe(path);
});

it('a query keeps a question mark at the start of its first name', async () => {
  const app = createApp().use((ctx) => ctx.json(ctx.query));
  expect(await (await app.request('/??a=1')).json()).toEqual({ '?a': '1' });
});

/** A stream that has started and stays idle. */
function begunStream(): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push('first ');
  return stream;
}

/** Collects garbage. Returns the streams that have closed. */
function closedAfterCollection(streams: readonly Readable[]): readonly Readable[] {
  collectGarbage();
  return streams.filter(({ closed }) => closed);
}

const finalizing = new FinalizationRegistry((finalized: () => void) => finalized());

/** Collects garbage until an unreachable object has been finalized. */
async function collectOnce(): Promise<void> {
  const finalized = Promise.withResolvers<void>();
  finalizing.register({}, finalized.resolve);
  const collecting = setInterval(collectGarbage, 1);
  await finalized.promise;
  clearInterval(collecting);
}

/** Reads a body, collecting garbage after each chunk. */
async function readSlowly(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    await collectOnce();
  }
  return Buffer.concat(chunks).toString();
}
