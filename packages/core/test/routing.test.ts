import { exchange } from '@fairlead/test-support/raw-connection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  type RouterOptions,
} from '../src/index.js';
import { type Send, sender } from './support/send.js';
import { serve } from './support/serve.js';
import { start } from './support/start.js';

/** Responds with the matched route and its parameters. */
const show: Middleware = (ctx) => ctx.json([ctx.pattern, ctx.params]);

async function senderOf(patterns: readonly string[], options?: RouterOptions): Promise<Send> {
  const router = createRouter(options);
  for (const pattern of patterns) router.get(pattern, show);
  return sender(createApp().use(errorHandler()).route('/', router));
}

describe('a route', () => {
  it.each([
    ['/users/me', '/users/me', {}],
    ['/users/7', '/users/:id', { id: '7' }],
    ['/users/7/', '/users/:id', { id: '7' }],
    ['/users/7/posts/9', '/users/:id/posts/:post', { id: '7', post: '9' }],
    ['/files', '/files/*path', { path: '' }],
    ['/files/a/b.txt', '/files/*path', { path: 'a/b.txt' }],
    ['/', '/*', { '*': '' }],
    ['/users/7/other', '/*', { '*': 'users/7/other' }],
  ])('for %s is %s, in any order of registration', async (path, pattern, params) => {
    const patterns = ['/*', '/files/*path', '/users/:id/posts/:post', '/users/:id', '/users/me'];
    for (const order of [patterns, patterns.toReversed()]) {
      const send = await senderOf(order);
      expect((await send('GET', path)).json()).toEqual([pattern, params]);
    }
  });

  it('for HEAD is the route of GET, unless there is one for HEAD', async () => {
    const router = createRouter()
      .get('/a', (ctx) => ctx.set('X-Route', `GET for ${ctx.method}`))
      .get('/b', (ctx) => ctx.set('X-Route', 'GET'))
      .head('/b', (ctx) => ctx.set('X-Route', 'HEAD'));
    const app = createApp()
      .use(async (ctx, next) => {
        await next();
        ctx.status = 200;
      })
      .route('/', router);
    const send = await sender(app);
    expect((await send('HEAD', '/a')).headers['x-route']).toBe('GET for HEAD');
    expect((await send('HEAD', '/b')).headers['x-route']).toBe('HEAD');
  });

  it('may have middleware before its handler', async () => {
    const put: Middleware = (ctx, next) => {
      ctx.state.id = ctx.params.id;
      return next();
    };
    const router = createRouter().get('/:id', put, (ctx) => ctx.json(ctx.state));
    const send = await sender(createApp().route('/users', router));
    expect((await send('GET', '/users/7')).json()).toEqual({ id: '7' });
  });

  it('that calls next() passes the request to registrations after its router', async () => {
    const first = createRouter().get('/:name', (_ctx, next) => next());
    const second = createRouter().get('/*', show);
    const send = await sender(createApp().route('/', first).route('/', second));
    expect((await send('GET', '/a')).json()).toEqual(['/*', { '*': 'a' }]);
  });
});

describe('parameters', () => {
  it.each([
    ['/users/a%2Fb', 'a/b'],
    ['/users/%C3%A9', 'é'],
    ['/users/a%20b', 'a b'],
    ['/users/a+b', 'a+b'],
    ['/users/%2525', '%25'],
    ['/users/..', '..'],
    ['/users/__proto__', '__proto__'],
  ])('of %s are decoded once', async (path, id) => {
    const send = await senderOf(['/users/:id']);
    expect((await send('GET', path)).json()).toEqual(['/users/:id', { id }]);
  });

  it('round-trip through the path', async () => {
    const send = await senderOf(['/users/:id/posts/*rest']);
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
      .filter((value) => !value.includes('\0'));
    await fc.assert(
      fc.asyncProperty(text, fc.array(text), async (id, texts) => {
        const path = `/users/${[id, 'posts', ...texts].map(encodeURIComponent).join('/')}`;
        const rest = texts.map((segment) => segment.replaceAll('/', '%2F')).join('/');
        expect((await send('GET', path)).json()).toEqual(['/users/:id/posts/*rest', { id, rest }]);
      }),
      { numRuns: 100 },
    );
  });

  it('inherit no members, with or without a route', async () => {
    const inherited: unknown[] = [];
    const look: Middleware = (ctx, next) => {
      const names = [...Object.getOwnPropertyNames(Object.prototype), 'then'];
      inherited.push(names.filter((name) => name in ctx.params));
      return next();
    };
    const router = createRouter().get('/:id', look, (ctx) => ctx.json(ctx.params));
    const send = await sender(createApp().use(look).route('/', router));
    await send('GET', '/7');
    expect(inherited).toEqual([[], []]);
  });
});

describe('a context', () => {
  const showAll = (ctx: Context) =>
    ctx.json({
      method: ctx.method,
      path: ctx.path,
      query: ctx.query,
      all: ctx.searchParams.getAll('a'),
      header: ctx.get('X-Custom') ?? null,
      sameHeader: ctx.headers['x-custom'] ?? null,
    });

  it('describes the request', async () => {
    const send = await sender(createApp().use(showAll));
    const headers = { 'x-cUSTOM': ['one', 'two'] };
    const reply = await send('REPORT', '/a%20b/%63?a=1&b=x+y&a=2', { headers });
    expect(reply.json()).toEqual({
      method: 'REPORT',
      path: '/a%20b/c',
      query: { a: '1', b: 'x y' },
      all: ['1', '2'],
      header: 'one, two',
      sameHeader: 'one, two',
    });
  });

  it('has a query without a prototype', async () => {
    const app = createApp().use((ctx) => ctx.json([Object.getPrototypeOf(ctx.query), ctx.query]));
    const send = await sender(app);
    expect((await send('GET', '/?toString=1')).json()).toEqual([null, { toString: '1' }]);
  });

  it.each(['constructor', '__proto__', 'X-Missing'])('has no header %s', async (name) => {
    const app = createApp().use((ctx) => ctx.json(ctx.get(name) ?? null));
    const send = await sender(app);
    expect((await send('GET', '/')).json()).toBeNull();
  });

  it('has one normalized path for middleware and routers', async () => {
    const app = createApp()
      .use((ctx, next) => {
        ctx.set('X-Path', ctx.path);
        return next();
      })
      .route('/', createRouter().get('/admin', show));
    const send = await sender(app);
    const reply = await send('GET', '/%61d%6Din');
    expect(reply.json()).toEqual(['/admin', {}]);
    expect(reply.headers['x-path']).toBe('/admin');
  });
});

describe('a request target', () => {
  it.each(['/users/%', '/users/%zz', '/users/%ff', '/users/%c0%af', '/users/%00'])(
    'with the malformed escape %s is a 400',
    async (path) => {
      const send = await senderOf(['/users/:id']);
      const reply = await send('GET', path);
      expect(reply.status).toBe(400);
      expect(reply.json()).toMatchObject({
        code: 'MALFORMED_TARGET',
        detail: 'The request target is malformed. Send a path with valid percent-encoded UTF-8.',
        instance: path,
      });
    },
  );

  it.each([
    ['GET http://example.com/users/7?a=1', 200, '["/users/:id",{"id":"7"}]'],
    ['GET HTTP://example.com:8080/users/7', 200, '["/users/:id",{"id":"7"}]'],
    ['GET *', 400, 'MALFORMED_TARGET'],
    ['OPTIONS *', 204, ''],
    ['GET ftp://example.com/users/7', 400, 'MALFORMED_TARGET'],
    ['GET //users/7', 404, 'NOT_FOUND'],
  ])('in the request line %s gets %i', async (line, status, text) => {
    const router = createRouter().get('/users/:id', show);
    const { port } = await serve(createApp().use(errorHandler()).route('/', router));
    const response = await exchange(
      port,
      `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toContain(text);
  });
});

describe('options of a router', () => {
  it('paths are case-sensitive by default, and can be case-insensitive', async () => {
    const [exact, relaxed] = [
      await senderOf(['/Users/:id']),
      await senderOf(['/Users/:id'], { caseSensitive: false }),
    ];
    expect((await exact('GET', '/users/Ab')).status).toBe(404);
    expect((await relaxed('GET', '/uSERS/Ab')).json()).toEqual(['/Users/:id', { id: 'Ab' }]);
  });

  it('a trailing slash is significant only with strict', async () => {
    const [lax, strict] = [
      await senderOf(['/a', '/b/']),
      await senderOf(['/a', '/b/'], { strict: true }),
    ];
    const statuses = async (send: Send) =>
      Promise.all(['/a', '/a/', '/b', '/b/'].map(async (path) => (await send('GET', path)).status));
    expect(await statuses(lax)).toEqual([200, 200, 200, 200]);
    expect(await statuses(strict)).toEqual([200, 404, 404, 200]);
  });
});

it.each([
  ['/files/dir/', 'dir/'],
  ['/files/dir', 'dir'],
  ['/files/', ''],
  ['/files', ''],
  ['/files/a%20b/c', 'a b/c'],
  ['/files/private%2fx', 'private%2Fx'],
  ['/files/private%2Fx/', 'private%2Fx/'],
])('a wildcard contains only the slashes of the path: %s', async (path, rest) => {
  const router = createRouter().get('/files/*path', (ctx) => ctx.json(ctx.params.path));
  const response = await createApp().route('/', router).request(path);
  expect(await response.json()).toBe(rest);
});

it('a prefix cannot contain a wildcard', () => {
  const refused = expect.objectContaining({ code: 'INVALID_PATTERN' });
  expect(() => start(createApp().route('/a/*rest', createRouter()))).toThrow(refused);
  expect(() => start(createRouter().route('/*', createRouter()))).toThrow(refused);
});
