import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  type RouterOptions,
} from '../src/index.js';
import { sender } from './support/send.js';
import { start } from './support/start.js';

/** Responds with the matched pattern and its parameters. */
const show: Middleware = (ctx) => ctx.json([ctx.pattern, ctx.params]);

const notFound = [404, 'NOT_FOUND'];

/** Returns a function that requests a path of the patterns: what {@link show} responds, or status and code. */
async function visit(patterns: string | readonly string[], options?: RouterOptions) {
  const router = createRouter(options).get(patterns, show);
  const send = await sender(createApp().use(errorHandler()).route('/', router));
  return async (path: string): Promise<unknown> => {
    const reply = await send('GET', path);
    const body = reply.json() as { readonly code?: string };
    return reply.status === 200 ? body : [reply.status, body.code];
  };
}

describe('an optional parameter', () => {
  it.each<[pattern: string, path: string, pattern: string, params: object]>([
    ['/users/:id?', '/users', '/users', {}],
    ['/users/:id?', '/users/7', '/users/:id', { id: '7' }],
    ['/users/:id?', '/users/', '/users', {}],
    ['/users/:id?', '/users/7/', '/users/:id', { id: '7' }],
    ['/users/:id?', '/users/a%2Fb', '/users/:id', { id: 'a/b' }],
    ['/users/:id?', '/users/%3F', '/users/:id', { id: '?' }],
    ['/:id?', '/', '/', {}],
    ['/:id?', '/7', '/:id', { id: '7' }],
    [':id?', '/7', '/:id', { id: '7' }],
    ['/:user/posts/:post?', '/1/posts', '/:user/posts', { user: '1' }],
    ['/:user/posts/:post?', '/1/posts/2', '/:user/posts/:post', { user: '1', post: '2' }],
    ['/:year?/:month?', '/', '/', {}],
    ['/:year?/:month?', '/2026', '/:year', { year: '2026' }],
    ['/:year?/:month?', '/2026/11', '/:year/:month', { year: '2026', month: '11' }],
    ['/a/:größe?', '/a/7', '/a/:größe', { größe: '7' }],
  ])('of %s: %s is %s', async (pattern, path, expected, params) => {
    expect(await (await visit(pattern))(path)).toEqual([expected, params]);
  });

  it.each<[pattern: string, path: string, options?: RouterOptions]>([
    ['/users/:id?', '/users/7/posts'],
    ['/users/:id?', '/'],
    ['/users/:id?', '/users//'],
    ['/:year?/:month?', '/2026/11/24'],
    ['/users/:id?', '/users/', { strict: true }],
    ['/users/:id?', '/users/7/', { strict: true }],
    ['/users/:id?', '/Users/7'],
  ])('of %s: %s is not found', async (pattern, path, options) => {
    expect(await (await visit(pattern, options))(path)).toEqual(notFound);
  });

  it('follows the rules of the router about case', async () => {
    const get = await visit('/Users/:id?', { caseSensitive: false });
    expect(await get('/users')).toEqual(['/Users', {}]);
    expect(await get('/USERS/Ada')).toEqual(['/Users/:id', { id: 'Ada' }]);
  });

  it('yields to static text, and takes precedence over a wildcard', async () => {
    const router = createRouter()
      .get('/users/*rest', show)
      .get('/users/:id?', show)
      .get('/users/me', show);
    const send = await sender(createApp().route('/', router));
    const patterns = [];
    for (const path of ['/users', '/users/7', '/users/me', '/users/7/8'])
      patterns.push(((await send('GET', path)).json() as [string])[0]);
    expect(patterns).toEqual(['/users', '/users/:id', '/users/me', '/users/*rest']);
  });

  it('has the prefix and the middleware of its router, and one handler for all its patterns', async () => {
    const order: string[] = [];
    const log =
      (name: string): Middleware =>
      (_ctx, next) => {
        order.push(name);
        return next();
      };
    const router = createRouter().use(log('router')).get('/:id?', log('route'), show);
    const app = createApp().use('/users', log('prefix')).route('/users', router);
    const send = await sender(app);
    expect((await send('GET', '/users')).json()).toEqual(['/users', {}]);
    expect((await send('GET', '/users/7')).json()).toEqual(['/users/:id', { id: '7' }]);
    expect(order).toEqual(['prefix', 'router', 'route', 'prefix', 'router', 'route']);
  });

  it('has HEAD, 405 and Allow at each of its patterns', async () => {
    const send = await sender(createApp().get('/users/:id?', show).post('/users', show));
    const requests = [
      ['HEAD', '/users'],
      ['HEAD', '/users/7'],
      ['DELETE', '/users'],
      ['POST', '/users/7'],
      ['OPTIONS', '/users/7'],
    ] as const;
    const results = [];
    for (const [method, path] of requests) {
      const { status, headers } = await send(method, path);
      results.push([status, headers.allow]);
    }
    expect(results).toEqual([
      [200, undefined],
      [200, undefined],
      [405, 'GET, HEAD, OPTIONS, POST'],
      [405, 'GET, HEAD, OPTIONS'],
      [204, 'GET, HEAD, OPTIONS'],
    ]);
  });

  it('passes the absent parameter to the schema, which may have a default', async () => {
    const params = z.object({ page: z.coerce.number().default(1) });
    const app = createApp().get('/list/:page?', { params }, (ctx) => ctx.params);
    const send = await sender(app);
    expect((await send('GET', '/list')).json()).toEqual({ page: 1 });
    expect((await send('GET', '/list/3')).json()).toEqual({ page: 3 });
  });

  it.each<[pattern: string, problem: string]>([
    [
      '/:lang?/users',
      "the optional parameter ':lang?' is not at the end. Pass an array of paths: ['/users', '/:lang/users'].",
    ],
    [':lang?/users', "Pass an array of paths: ['/users', '/:lang/users']."],
    ['/users/:id?/', "Pass an array of paths: ['/users/', '/users/:id/']."],
    ['/:a?/x/:b?', "Pass an array of paths: ['/x/:b?', '/:a/x/:b?']."],
    ['/:a?/*rest', "Pass an array of paths: ['/*rest', '/:a/*rest']."],
    ['/:a-:b?', "':a-:b?' contains '?'. Pass an array with each form of the path"],
    ['/users?', "'users?' contains '?'. Pass an array with each form of the path"],
    ['/:id?/:id?', "the parameter 'id' appears twice"],
  ])('is an error in %s', (pattern, problem) => {
    expect(() => start(createRouter().get(pattern, show))).toThrow(problem);
  });

  it('cannot be part of a prefix', () => {
    const problem =
      "The pattern '/:lang?' is not valid: a prefix cannot contain an optional parameter.";
    const nested = createRouter().get('/', show);
    expect(() => start(createApp().route('/:lang?', nested))).toThrow(problem);
    expect(() => start(createRouter().route('/:lang?', nested))).toThrow(problem);
    expect(() => start(createApp().use('/:lang?', show))).toThrow(problem);
    expect(() => start(createRouter().define('/:lang?', () => ({})))).toThrow(problem);
  });

  it('is not what a query in a prefix looks like', () => {
    expect(() => start(createApp().use('/users?page=1', show))).toThrow(
      "The pattern '/users?page=1' is not valid: it has a query. Use '/users'",
    );
  });

  it('conflicts with an equal pattern, whichever is first', () => {
    const conflict = { name: 'RouteConflictError', method: 'GET' };
    expect(() => start(createRouter().get('/users', show).get('/users/:id?', show))).toThrow(
      expect.objectContaining({ ...conflict, existing: '/users', added: '/users' }),
    );
    expect(() => start(createRouter().get('/users/:id?', show).get('/users/:name', show))).toThrow(
      expect.objectContaining({ ...conflict, existing: '/users/:id', added: '/users/:name' }),
    );
    const app = createApp()
      .route('/users', createRouter().get('/:id?', show))
      .route('/', createRouter().get('/users', show));
    expect(() => app.seal()).toThrow(/GET \/users matches the same paths.*patterns\.test\.ts/s);
  });
});

describe('an array of patterns', () => {
  it('registers each of them', async () => {
    const get = await visit(['/a', '/b/:id', '/c/:x?']);
    expect(await Promise.all(['/a', '/b/1', '/c', '/c/2', '/b'].map(get))).toEqual([
      ['/a', {}],
      ['/b/:id', { id: '1' }],
      ['/c', {}],
      ['/c/:x', { x: '2' }],
      notFound,
    ]);
  });

  it('may have one pattern', async () => {
    expect(await (await visit(['/a']))('/a')).toEqual(['/a', {}]);
  });

  it('shares options, handlers and their location among its routes', () => {
    const [first, second] = createApp().get(['/a', '/b'], { summary: 'Both' }, show).routes();
    expect(first?.options).toEqual({ summary: 'Both' });
    expect(second?.options).toBe(first?.options);
    expect(second?.handlers).toEqual(first?.handlers);
  });

  it.each<[unknown, string]>([
    [[], 'router.get([]) has no pattern. Pass at least one.'],
    [['/a', 7], "router.get(['/a', 7]) received 7 instead of a pattern."],
    [['/a', ['/b']], 'received an array instead of a pattern.'],
    [['/a', undefined], 'received undefined instead of a pattern.'],
    [['/a', '/a'], 'GET /a matches the same paths as GET /a'],
    [['/:a', '/:b'], 'GET /:b matches the same paths as GET /:a'],
    [['/a', '/a/'], 'GET /a/ matches the same paths as GET /a'],
    [['/a', '/a/:b?'], 'GET /a matches the same paths as GET /a'],
    [['/a', '/b*'], "The pattern '/b*' is not valid"],
  ])('%j is refused', (patterns, problem) => {
    const router = createRouter();
    expect(() => start(router.get(patterns as string[], show))).toThrow(problem);
    expect(router.routes).toEqual([]);
  });
});

describe('an array of methods', () => {
  it('registers each of them at each pattern', async () => {
    const app = createApp().on(['GET', 'post', 'PURGE'], ['/a', '/b/:id?'], ({ method }) => method);
    const send = await sender(app);
    const replies = [];
    for (const method of ['GET', 'HEAD', 'POST', 'PURGE'])
      for (const path of ['/a', '/b', '/b/1']) replies.push((await send(method, path)).text);
    const of = (text: string) => [text, text, text];
    expect(replies).toEqual([...of('"GET"'), ...of(''), ...of('"POST"'), ...of('"PURGE"')]);
    expect((await send('DELETE', '/a')).headers.allow).toBe('GET, HEAD, OPTIONS, POST, PURGE');
  });

  it('may contain ALL, which handles the others', async () => {
    const router = createRouter().on(['ALL', 'GET'], '/a', ({ method }) => method);
    expect(router.routes.map(({ method }) => method)).toEqual(['ALL', 'GET']);
  });

  it.each<[unknown, string]>([
    [[], "router.on('/a') has no method. Pass at least one."],
    [['GET', 'FETCH'], "A route cannot handle the method 'FETCH'."],
    [['GET', 7], 'A route cannot handle the method 7.'],
    [['GET', 'get'], 'GET /a matches the same paths as GET /a'],
  ])('%j is refused', (methods, problem) => {
    const router = createRouter();
    expect(() => start(router.on(methods as string[], '/a', show))).toThrow(problem);
    expect(router.routes).toEqual([]);
  });
});

describe('router.define()', () => {
  it('takes optional parameters, arrays of paths and arrays of methods', async () => {
    const router = createRouter().define('/posts', ({ get, on }) => ({
      list: get('/:year?/:month?', ({ params }) => params),
      feeds: get(['/feed.xml', '/feed.json'], ({ pattern }) => pattern),
      save: on(['PUT', 'PATCH'], ['/drafts/:id', '/published/:id'], ({ method, params }) => [
        method,
        params.id,
      ]),
    }));
    const send = await sender(createApp().route('/api', router));
    const requests = [
      ['GET', '/api/posts'],
      ['GET', '/api/posts/2026/11'],
      ['GET', '/api/posts/feed.json'],
      ['PUT', '/api/posts/drafts/7'],
      ['PATCH', '/api/posts/published/7'],
    ] as const;
    const bodies = [];
    for (const [method, path] of requests) bodies.push((await send(method, path)).json());
    expect(bodies).toEqual([
      {},
      { year: '2026', month: '11' },
      '/api/posts/feed.json',
      ['PUT', '7'],
      ['PATCH', '7'],
    ]);
  });
});

describe('invalidParams: 404', () => {
  const params = z.object({ id: z.coerce.number().int() });
  const query = z.object({ page: z.coerce.number().optional() });

  it('responds to invalid path parameters as to an unknown path', async () => {
    const app = createApp().get('/users/:id', { params, invalidParams: 404 }, (ctx) => ctx.params);
    const send = await sender(app);
    const [invalid, unknown] = [await send('GET', '/users/x'), await send('GET', '/unknown')];
    expect(invalid.status).toBe(404);
    expect(invalid.json()).toEqual(JSON.parse(unknown.text.replaceAll('/unknown', '/users/x')));
    expect((await send('GET', '/users/7')).json()).toEqual({ id: 7 });
  });

  it('takes precedence over other invalid parts of the request, which keep their status', async () => {
    const options = { params, query, invalidParams: 404 } as const;
    const app = createApp({ validationStatus: 422 })
      .get('/strict/:id', options, () => 1)
      .get('/:id', { params }, () => 1);
    const send = await sender(app);
    expect((await send('GET', '/strict/x?page=x')).status).toBe(404);
    expect((await send('GET', '/strict/7?page=x')).status).toBe(422);
    expect((await send('GET', '/x')).status).toBe(422);
  });

  it('awaits an asynchronous schema', async () => {
    const later = z.object({ id: z.string().refine(async (id) => id === '1') });
    const options = { params: later, invalidParams: 404 } as const;
    const send = await sender(createApp().get('/:id', options, () => 'found'));
    expect((await send('GET', '/1')).status).toBe(200);
    expect((await send('GET', '/2')).status).toBe(404);
  });

  it.each([400, 422, '404', true])('refuses %j', (invalidParams) => {
    const options = { params, invalidParams } as unknown as { invalidParams: 404 };
    expect(() => start(createApp().get('/:id', options, show))).toThrow(
      `must be 404: got ${JSON.stringify(invalidParams).replaceAll('"', "'")}.`,
    );
  });
});
