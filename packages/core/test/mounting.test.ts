import { describe, expect, it } from 'vitest';
import { registrationsOf } from '../src/extend.js';
import { createApp, createRouter, type Middleware, RouteConflictError } from '../src/index.js';
import { sender } from './support/send.js';

const show: Middleware = (ctx) => ctx.json([ctx.pattern, ctx.params]);

describe('a mounted router', () => {
  it.each([
    ['/api/users', '/api/users'],
    ['/api/users/', '/api/users'],
    ['/api/users/7', '/api/users/:id'],
  ])('handles %s with its route %s', async (path, pattern) => {
    const users = createRouter().get('/', show).get('/:id', show);
    const send = await sender(createApp().route('/api/users', users));
    expect((await send('GET', path)).json()).toMatchObject([pattern, {}]);
  });

  it.each(['/api/usersX', '/api/users7', '/api', '/7', '/api/use', '/API/users'])(
    'does not handle %s: the prefix ends at a segment',
    async (path) => {
      const users = createRouter().get('/', show).get('/:id', show);
      const send = await sender(createApp().route('/api/users', users));
      expect((await send('GET', path)).status).toBe(404);
    },
  );

  it.each(['api/', '/api', '/api/', 'api'])('may be given the prefix %s', async (prefix) => {
    const send = await sender(createApp().route(prefix, createRouter().get('users', show)));
    expect((await send('GET', '/api/users')).json()).toEqual(['/api/users', {}]);
  });

  it('has the parameters of its prefix', async () => {
    const posts = createRouter().get('/:post', show);
    const send = await sender(createApp().route('/users/:id/posts', posts));
    expect((await send('GET', '/users/7/posts/9')).json()).toEqual([
      '/users/:id/posts/:post',
      { id: '7', post: '9' },
    ]);
  });

  it('can be mounted at two prefixes', async () => {
    const router = createRouter().get('/a', show);
    const send = await sender(createApp().route('/one', router).route('/two', router));
    expect((await send('GET', '/one/a')).json()).toEqual(['/one/a', {}]);
    expect((await send('GET', '/two/a')).json()).toEqual(['/two/a', {}]);
  });

  it('can register routes after it was mounted', async () => {
    const router = createRouter();
    const app = createApp().route('/', router);
    router.get('/late', show);
    const send = await sender(app);
    expect((await send('GET', '/late')).status).toBe(200);
  });

  it('handles requests in the order of registration with middleware', async () => {
    const app = createApp()
      .route('/', createRouter().get('/early', show))
      .use((ctx) => ctx.send('middleware'))
      .route('/', createRouter().get('/late', show));
    const send = await sender(app);
    expect((await send('GET', '/early')).json()).toEqual(['/early', {}]);
    expect((await send('GET', '/late')).text).toBe('middleware');
  });

  it('shares a path with another router by method', async () => {
    const app = createApp()
      .route(
        '/',
        createRouter().get('/a', (ctx) => ctx.send('read')),
      )
      .route(
        '/',
        createRouter().put('/a', (ctx) => ctx.send('written')),
      );
    const send = await sender(app);
    expect((await send('PUT', '/a')).text).toBe('written');
    expect((await send('POST', '/a')).headers.allow).toBe('GET, HEAD, OPTIONS, PUT');
  });
});

describe('nested routers', () => {
  it('combine the prefixes and the middleware of their parents', async () => {
    const log: string[] = [];
    const trace =
      (name: string): Middleware =>
      (_ctx, next) => {
        log.push(name);
        return next();
      };
    const comments = createRouter().use(trace('comments')).get('/:comment', show);
    const posts = createRouter().use(trace('posts')).route('/:post/comments', comments);
    const users = createRouter().use(trace('users')).route('/:user/posts', posts);
    const send = await sender(createApp().route('/api/users', users));
    expect((await send('GET', '/api/users/1/posts/2/comments/3')).json()).toEqual([
      '/api/users/:user/posts/:post/comments/:comment',
      { user: '1', post: '2', comment: '3' },
    ]);
    expect(log).toEqual(['users', 'posts', 'comments']);
  });

  it('are listed by app.routes() with their full patterns, in order of registration', () => {
    const handler = () => undefined;
    const inner = createRouter().post('/b', handler);
    const outer = createRouter().route('/inner', inner).get('/:a.:b/*', handler);
    const app = createApp().route('/outer', outer).use(handler);
    expect(app.routes()).toEqual([
      {
        method: 'POST',
        pattern: '/outer/inner/b',
        params: [],
        options: {},
        handlers: [handler],
        upstream: [],
        router: outer,
      },
      {
        method: 'GET',
        pattern: '/outer/:a.:b/*',
        params: ['a', 'b', '*'],
        options: {},
        handlers: [handler],
        upstream: [],
        router: outer,
      },
    ]);
  });

  it('are found by registrationsOf()', () => {
    const inner = createRouter();
    const outer = createRouter().route('/inner', inner);
    const app = createApp().route('/a/:id', outer).route('/', outer).route('/b', inner);

    expect(registrationsOf(app, inner).prefixes).toEqual(['/a/:id/inner', '/inner', '/b']);
    expect(registrationsOf(app, outer).prefixes).toEqual(['/a/:id', '/']);
    expect(registrationsOf(app, createRouter()).prefixes).toEqual([]);
  });

  it('are listed with the middleware of the application that runs before them', () => {
    const all = () => undefined;
    const below = () => undefined;
    const other = () => undefined;
    const late = () => undefined;
    const app = createApp()
      .use(all)
      .use('/users', below)
      .use('/posts', other)
      .route(
        '/users',
        createRouter().get('/:id', () => undefined),
      )
      .get('/', () => undefined)
      .use(late);

    expect(app.routes().map(({ upstream }) => upstream)).toEqual([[all, below], [all]]);
  });
});

describe('the middleware that runs before a route', () => {
  const above = () => undefined;

  it.each([
    ['/orgs/:org', '/orgs/:id/users', 'all'],
    ['/orgs/:org', '/orgs/7', 'all'],
    ['/orgs/:org', '/orgs', 'no'],
    ['/orgs/:org', '/orgs/*rest', 'some'],
    ['/admin/', '/%61dmin', 'all'],
    ['/admin', '/Admin/x', 'no'],
    ['/admin', '/administrator', 'no'],
    ['/', '/admin', 'all'],
    ['/users/admin', '/users/:id', 'some'],
    ['/users/admin', '/users/:id/posts', 'some'],
    ['/users/admin', '/users', 'no'],
    ['/users/admin', '/users/a:rest', 'some'],
    ['/users/admin', '/users/b:rest', 'no'],
    ['/users/admin/:id', '/*rest', 'some'],
    ['/v:version', '/v1/users', 'all'],
    ['/v:version', '/v:version/users', 'all'],
    ['/v:version', '/v:major.:minor', 'all'],
    ['/v:version', '/v/users', 'no'],
    ['/v:version', '/:version/users', 'some'],
    ['/v:version', '/*rest', 'some'],
    ['/:from-:to', '/1-2', 'all'],
    ['/:from-:to', '/1-', 'no'],
    ['/:name%3A', '/a%3A', 'all'],
    ['/:name%3A', '/%3A', 'no'],
    ['/:name%41', '/a%3A', 'no'],
  ])('below %s of the route %s runs for %s of its requests', (prefix, pattern, requests) => {
    const app = createApp()
      .use(prefix, above)
      .get(pattern, () => undefined);
    const [{ upstream, partial } = {}] = app.routes();
    expect(upstream).toEqual(requests === 'all' ? [above] : []);
    const some = [{ prefix, middleware: above, index: 0, matches: expect.any(Function) }];
    expect(partial).toEqual(requests === 'some' ? some : undefined);
  });

  it('is listed with how many functions of all requests run before it', () => {
    const [first, last] = [() => undefined, () => undefined];
    const app = createApp()
      .use(first)
      .use('/users/admin', above)
      .use(last)
      .get('/users/:id', () => undefined);
    const [{ upstream, partial: [partial] = [] } = {}] = app.routes();
    expect(upstream).toEqual([first, last]);
    expect(partial).toMatchObject({ middleware: above, index: 1 });
    expect([partial?.matches('/users/admin'), partial?.matches('/users/7')]).toEqual([true, false]);
  });

  it('is found although a router ignores case', () => {
    const router = createRouter({ caseSensitive: false }).get('/x', () => undefined);
    const app = createApp().use('/admin', above).route('/Admin', router);
    expect(app.routes()[0]?.upstream).toEqual([above]);
  });

  it('is found although the prefix of the route repeats a name, which seal() reports', () => {
    const router = createRouter().get('/:id', () => undefined);
    const app = createApp().use('/a/:x', above).route('/a/:id', router);
    expect(app.routes()[0]?.upstream).toEqual([above]);
    expect(() => app.seal()).toThrow("the parameter 'id' appears twice");
  });
});

describe('a conflict', () => {
  const handler = () => undefined;

  it('between two routers is an error that names both patterns', () => {
    const app = createApp()
      .route('/users', createRouter().get('/:id', handler))
      .route('/', createRouter().get('/users/:name', handler));
    expect(() => app.seal()).toThrow(
      new RouteConflictError('GET', '/users/:id', '/users/:name').message,
    );
  });

  it('between a router and a nested router is an error that names both patterns', () => {
    const nested = createRouter().get('/:id', handler);
    const app = createApp().route('/', createRouter().get('/a/:x', handler).route('/a', nested));
    expect(() => app.seal()).toThrow(new RouteConflictError('GET', '/a/:x', '/a/:id').message);
  });

  it('between the parameters of a prefix and a route is an error that names the pattern', () => {
    const app = createApp().route('/users/:id', createRouter().get('/posts/:id', handler));
    expect(() => app.seal()).toThrow(
      "The pattern '/users/:id/posts/:id' is not valid: the parameter 'id' appears twice. Rename one of them.",
    );
  });

  it('makes request() reject', async () => {
    const app = createApp()
      .route('/', createRouter().get('/a', handler))
      .route('/', createRouter().get('/a', handler));
    await expect(app.request('/a')).rejects.toThrow(RouteConflictError);
  });
});
