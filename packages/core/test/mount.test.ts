import { gzipSync } from 'node:zlib';
import { connectRaw, exchange } from '@fairlead/test-support/raw-connection';
import { codedWarningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  json,
  listen,
  type Middleware,
  text,
  UnauthorizedError,
} from '../src/index.js';
import { createVersions } from '../src/versions.js';

/** Answers with what it has received. */
const echo = async (request: Request) =>
  Response.json({
    method: request.method,
    url: request.url,
    type: request.headers.get('Content-Type'),
    body: request.body === null ? null : await request.text(),
  });

const JSON_POST = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: '{"a":1}',
};

/** Sends a path as it is written. */
async function sendRaw(app: Application, path: string): Promise<string> {
  const server = await listen(app, 0);
  onTestFinished(() => server.close());
  return exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
}

describe('mount()', () => {
  it('passes every method and path below the prefix, with the query and the body', async () => {
    const app = createApp()
      .mount('/auth', echo)
      .get('/', () => 'home');
    const put = { method: 'PUT', body: 'text', headers: { 'Content-Type': 'text/plain' } };
    expect(await (await app.request('/auth/a/b?c=%20', put)).json()).toEqual({
      method: 'PUT',
      url: 'http://localhost/auth/a/b?c=%20',
      type: 'text/plain',
      body: 'text',
    });
    expect(await (await app.request('/auth')).json()).toMatchObject({
      url: 'http://localhost/auth',
    });
    expect((await app.request('/authority')).status).toBe(404);
    expect(await (await app.request('/')).json()).toBe('home');
    const head = await app.request('/auth/x', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it.each(['/a/../admin/users', '/a/%2E%2e/admin/users', '/./admin', '/public/..'])(
    'refuses a path that its URL would not have, past the guards of another one: %s',
    async (target) => {
      const deny: Middleware = () => {
        throw new ForbiddenError('No.');
      };
      const app = createApp()
        .use('/admin', deny)
        .mount('/', echo)
        .get('/own/*path', (ctx) => ctx.request.url);
      const codeOf = async (path: string) => {
        const request = new Request('http://localhost/');
        const response = await app.fetch(request, { target: path, ip: '192.0.2.1' });
        return [response.status, Object(await response.json()).code];
      };
      expect(await codeOf(target)).toEqual([400, 'AMBIGUOUS_PATH']);
      expect(await codeOf(`/own${target}`)).toEqual([400, 'AMBIGUOUS_PATH']);
      expect((await codeOf('/a/..b/.c'))[0]).toBe(200);
    },
  );

  it('removes the prefix with strip, also one with parameters in a router', async () => {
    const router = createRouter().mount('/:tenant/graph', echo, { strip: true });
    const app = createApp().route('/api', router);
    const urls = ['/api/a/graph/x/y?z', '/api/a/graph', '/api/a/graph/'].map(async (path) => {
      const { url } = (await (await app.request(path)).json()) as { url: string };
      return url;
    });
    expect(await Promise.all(urls)).toEqual([
      'http://localhost/x/y?z',
      'http://localhost/',
      'http://localhost/',
    ]);
  });

  it('accepts an object with fetch(), and keeps its receiver', async () => {
    const other = {
      name: 'other',
      fetch() {
        return new Response(this.name);
      },
    };
    expect(await (await createApp().mount('/x', other).request('/x')).text()).toBe('other');
  });

  it('gets bodies that parsers of the application would read, but no other route does', async () => {
    const app = createApp()
      .use(json({ limit: 4 }), text())
      .post('/auth/own', (ctx) => ctx.body)
      .mount('/auth', echo);
    expect(await (await app.request('/auth/x', JSON_POST)).json()).toMatchObject({
      body: '{"a":1}',
    });
    expect((await app.request('/auth/own', JSON_POST)).status).toBe(413);
    const short = { ...JSON_POST, body: '[1]' };
    expect(await (await app.request('/auth/own', short)).json()).toEqual([1]);
  });

  it('gets the bodies of requests that ask for no version of a route before it', async () => {
    const app = createApp({ versions: createVersions({ header: 'X-Version' }) })
      .use(json())
      .post('/auth/login', { version: '2' }, ({ body }) => body)
      .mount('/auth', echo);
    const send = async (version: object) => {
      const headers = { ...JSON_POST.headers, ...version };
      return (await app.request('/auth/login', { ...JSON_POST, headers })).json();
    };
    expect(await send({ 'X-Version': '2' })).toEqual({ a: 1 });
    expect(await send({})).toMatchObject({ body: '{"a":1}' });
    expect(await send({ 'X-Version': '1' })).toMatchObject({ body: '{"a":1}' });
  });

  it('runs its middleware first, which may parse the body if it keeps the bytes', async () => {
    const mark: Middleware = async (ctx, next) => {
      ctx.set('X-Mark', JSON.stringify(ctx.body ?? null));
      await next();
    };
    const app = createApp()
      .use(errorHandler({ onError: () => {} }))
      .mount('/kept', echo, { middleware: [json({ rawBody: true }), mark] })
      .mount('/lost', echo, { middleware: [json()] });
    const kept = await app.request('/kept', JSON_POST);
    expect(kept.headers.get('X-Mark')).toBe('{"a":1}');
    expect(await kept.json()).toMatchObject({ body: '{"a":1}' });
    const lost = await app.request('/lost', JSON_POST);
    expect(await lost.json()).toMatchObject({ status: 500, code: 'BODY_ALREADY_READ' });
    const encoded = { ...JSON_POST.headers, 'Content-Encoding': 'gzip' };
    const zipped = { ...JSON_POST, headers: encoded, body: gzipSync('{"a":1}') };
    expect(await (await app.request('/kept', zipped)).json()).toMatchObject({ body: '{"a":1}' });
  });

  it('is a 413 for a body past the limit, announced or not', async () => {
    let calls = 0;
    const count = async (request: Request) => {
      calls += 1;
      return echo(request);
    };
    const app = createApp().mount('/x', count, { limit: 5 });
    const announced = await app.request('/x', { method: 'POST', body: '123456' });
    expect([announced.status, calls]).toEqual([413, 0]);
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const chunked =
      'POST /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n3\r\n456\r\n0\r\n\r\n';
    expect(await exchange(server.port, chunked)).toMatch(/^HTTP\/1\.1 413 /);
    expect(calls).toBe(1);
    expect((await app.request('/x', { method: 'POST', body: '12345' })).status).toBe(200);
  });

  it.each<[string, number, (request: Request) => Promise<unknown>]>([
    ['is too large', 10, (request) => request.text()],
    ['is read in part', 20_000_000, async ({ body }) => body?.getReader().read()],
    ['is canceled', 20_000_000, async ({ body }) => body?.cancel()],
  ])('leaves the connection to the next request when a body %s', async (_case, limit, read) => {
    const handler = async (request: Request) => {
      await read(request);
      return new Response('read');
    };
    const app = createApp()
      .mount('/x', handler, { limit })
      .get('/next', () => 'next');
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const chunk = `4c4b40\r\n${'x'.repeat(5_000_000)}\r\n`;
    const text = await exchange(
      server.port,
      `POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toContain('"next"');
  });

  it.each<[string, Parameters<typeof createApp>[0], readonly string[]]>([
    ['the connection', {}, ['127.0.0.1', 'http', 'own.example']],
    ['a trusted proxy', { proxy: 1 }, ['192.0.2.7', 'https', 'example.com']],
    [
      'Forwarded',
      { proxy: { trust: 1, header: 'forwarded' } },
      ['192.0.2.8', 'https', 'b.example'],
    ],
  ])(
    'states the client of %s, and nothing else that a client has sent of it',
    async (_case, options, client) => {
      const seen = ({ headers }: Request) =>
        ['X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host', 'Forwarded', 'Host'].map(
          (name) => headers.get(name),
        );
      const app = createApp(options)
        .mount('/x', (request) => Response.json(seen(request)))
        .get('/own', ({ request, headers }) => [seen(request), headers['x-forwarded-for']]);
      const headers = {
        Host: 'own.example',
        Forwarded: 'for=192.0.2.8;proto=https;host=b.example',
        'X-Forwarded-For': '6.6.6.6, 192.0.2.7',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'example.com',
      };
      const expected = [...client, null, 'own.example'];
      expect(await (await app.request('/x', { headers })).json()).toEqual(expected);
      expect(await (await app.request('/own', { headers })).json()).toEqual([
        expected,
        headers['X-Forwarded-For'],
      ]);
    },
  );

  it('states no host that nobody has sent', async () => {
    const server = await listen(
      createApp().mount('/x', ({ headers }) => new Response(headers.get('X-Forwarded-Host'))),
      0,
    );
    onTestFinished(() => server.close({ timeout: 0 }));
    const text = await exchange(server.port, 'GET /x HTTP/1.0\r\nX-Forwarded-Host: a\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
  });

  it('sends its response as it is, with several cookies, and what middleware adds', async () => {
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.append('Set-Cookie', 'c=3');
      })
      .mount('/x', () => {
        const headers = new Headers({ 'X-Own': '1' });
        for (const cookie of ['a=1', 'b=2']) headers.append('Set-Cookie', cookie);
        return new Response('made', { status: 418, headers });
      });
    const response = await app.request('/x');
    expect([response.status, response.headers.get('X-Own'), await response.text()]).toEqual([
      418,
      '1',
      'made',
    ]);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2', 'c=3']);
  });

  it('is a 500 if the handler returns anything but a Response', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => errors.push(error) }).mount('/x', (() => ({
      a: 1,
    })) as never);
    expect((await app.request('/x')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        message:
          "The handler of app.mount('/x') returned an object for GET /x/*path. Return a Response.",
      }),
    ]);
  });

  it('is a 405 for TRACE, which no web Request can have', async () => {
    const server = await listen(createApp().mount('/x', echo), 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const trace = 'TRACE /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await exchange(server.port, trace)).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD, POST/,
    );
  });

  it('aborts a stream when the server closes, but no handler that has not responded', async () => {
    const signals: AbortSignal[] = [];
    let respond = () => {};
    const app = createApp()
      .mount('/events', ({ signal }) => {
        signals.push(signal);
        return new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('first'));
              signal.addEventListener('abort', () => controller.close());
            },
          }),
        );
      })
      .mount('/slow', async ({ signal }) => {
        signals.push(signal);
        await new Promise<void>((resolve) => {
          respond = resolve;
        });
        return new Response(String(signal.aborted));
      });
    const server = await listen(app, 0);
    const events = await fetch(`${server.url}/events`);
    const reader = events.body?.getReader();
    await reader?.read();
    const slow = fetch(`${server.url}/slow`);
    await expect.poll(() => signals.length).toBe(2);
    const closed = server.close({ timeout: 60_000 });
    expect(await reader?.read()).toMatchObject({ done: true });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    respond();
    expect(await (await slow).text()).toBe('false');
    await closed;
  });

  it('rejects the body when the client disconnects before its end', async () => {
    const failures: unknown[] = [];
    const started = Promise.withResolvers<void>();
    const app = createApp().mount('/x', async (request) => {
      started.resolve();
      await request.text().catch((error: unknown) => failures.push(error));
      return new Response();
    });
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const { socket } = connectRaw(server.port);
    socket.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    await started.promise;
    socket.destroy();
    await expect
      .poll(() => failures)
      .toEqual([expect.objectContaining({ message: expect.stringContaining('disconnected') })]);
  });

  it('aborts when the client disconnects', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const app = createApp().mount('/x', ({ signal }) => {
      started.resolve();
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => {});
    });
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const client = new AbortController();
    const response = fetch(`${server.url}/x`, { signal: client.signal }).catch(() => 'gone');
    await started.promise;
    client.abort();
    expect(await response).toBe('gone');
    await expect(aborted.promise).resolves.toBeUndefined();
  });

  it.each<[string, (app: Application) => unknown, string]>([
    [
      'no handler',
      (app) => app.mount('/x', undefined as never),
      "app.mount('/x') received undefined instead of a function (request) => Response. Pass the handler, or an object with the method fetch().",
    ],
    [
      'an unknown option',
      (app) => app.mount('/x', echo, { strp: true } as never),
      "app.mount('/x') has no option 'strp'. Did you mean 'strip'?",
    ],
    [
      'no prefix',
      (app) => app.mount(echo as never, echo),
      'app.mount() received the function echo instead of a prefix',
    ],
    [
      'a wildcard in the prefix',
      (app) => app.mount('/x/*', echo),
      "The pattern '/x/*' is not valid",
    ],
  ])('fails the start with %s', (_case, register, message) => {
    const app = createApp();
    register(app);
    expect(() => app.seal()).toThrow(message);
  });

  describe('behind a guard of a prefix', () => {
    const createGuarded = () =>
      createApp()
        .use('/admin', () => {
          throw new UnauthorizedError('Sign in.');
        })
        .mount('/', (request) => new Response(new URL(request.url).pathname));

    it.each([
      ['/admin/users', 401],
      ['/ADMIN/users', 401],
      ['//admin/users', 400],
      ['/%2Fadmin/users', 400],
      ['/admin./users', 400],
      ['/x/%2e%2e/admin', 400],
      ['/x%2F..%2Fadmin', 400],
    ])('gets no request that it could read as guarded: %s', async (path, status) => {
      const response = await sendRaw(createGuarded(), path);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    });

    it.each(['/v1/:users', '/files/a%2Fb', '/administrators'])(
      'gets other requests: %s',
      async (path) => {
        const response = await sendRaw(createGuarded(), path);
        expect(response).toMatch(/^HTTP\/1\.1 200 /);
        expect(response).toContain(`\r\n${path}\r\n`);
      },
    );
  });

  it.each([
    ['/public/..%2fadmin', 400],
    ['/public/..%5cadmin', 400],
    ['/public/a%2fb', 200],
    ['/admin', 401],
  ])('gets no path that it could read as one above its prefix: %s', async (path, status) => {
    const handler = () => new Response('served');
    const guard: Middleware = () => {
      throw new UnauthorizedError('Sign in.');
    };
    const app = createApp()
      .mount('/public', handler)
      .mount('/admin', handler, { middleware: [guard] });
    expect(await sendRaw(app, path)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('gets every path if no prefix has middleware', async () => {
    const app = createApp().mount('/', (request) => new Response(new URL(request.url).pathname));
    expect(await sendRaw(app, '//admin/%2Fx')).toContain('\r\n//admin/%2Fx\r\n');
  });

  it('is a route for the checks of the start', () => {
    const app = createApp()
      .use('/auth', (_ctx, next) => next())
      .mount('/auth', echo)
      .use((_ctx, next) => next())
      .get('/auth/me', () => 1);
    expect(codedWarningsOf(app)).toEqual([
      expect.stringMatching(
        /^FAIRLEAD_ROUTE: ALL \/auth\/\*path is registered earlier and responds to every request for: GET \/auth\/me\./,
      ),
    ]);
  });
});

describe('ctx.request', () => {
  it('is a web Request of the same request, created once', async () => {
    const app = createApp().post('/x', async (ctx) => {
      expect(ctx.request).toBe(ctx.request);
      expect(ctx.request.signal.aborted).toBe(false);
      return [ctx.request.url, ctx.request.method, await ctx.request.json()];
    });
    expect(await (await app.request('/x?a=1', JSON_POST)).json()).toEqual([
      'http://localhost/x?a=1',
      'POST',
      { a: 1 },
    ]);
  });

  it('has a body that says what to do after a parser has read it', async () => {
    const app = createApp()
      .use(json())
      .post('/x', async ({ request }) => {
        expect(request.headers.get('Content-Type')).toBe('application/json');
        return request.text().catch((error: Error) => error.message);
      });
    expect(await (await app.request('/x', JSON_POST)).json()).toBe(
      'The body of POST /x has already been read. Let its parser keep the bytes, as json({ rawBody: true }) does, or leave the body with the option skip.',
    );
  });
});

it('ctx.bodyStream() fails after a parser has read the body', async () => {
  const app = createApp()
    .use(errorHandler({ onError: () => {} }), json())
    .post('/x', (ctx) => ctx.send(ctx.bodyStream()));
  const response = await app.request('/x', JSON_POST);
  expect(await response.json()).toMatchObject({ status: 500, code: 'BODY_ALREADY_READ' });
});
