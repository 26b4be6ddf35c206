import { describe, expect, it } from 'vitest';
import {
  createApp,
  createRouter,
  InvalidMiddlewareError,
  type Middleware,
  RouteConflictError,
  SealedError,
} from '../src/index.js';
import { start } from './support/start.js';

const text = async (response: Promise<Response>) => (await response).text();
const mark =
  (name: string): Middleware =>
  (ctx, next) => {
    ctx.append('X-Marks', name);
    return next();
  };

describe('routes of the application', () => {
  it.each(['get', 'post', 'put', 'patch', 'delete', 'options'] as const)(
    'app.%s() registers a route for its method',
    async (name) => {
      const app = createApp();
      app[name]('/:id', (ctx) => ctx.send(`${ctx.method} ${ctx.params.id}`));
      const method = name.toUpperCase();
      expect(await text(app.request('/7', { method }))).toBe(`${method} 7`);
    },
  );

  it('app.head() and app.all() too', async () => {
    const app = createApp()
      .head('/own', (ctx) => {
        ctx.set('X-Own', 'head');
        ctx.status = 204;
      })
      .all('/all', ({ method }) => method)
      .on('PURGE', '/all', () => 'purged');
    expect((await app.request('/own', { method: 'HEAD' })).headers.get('X-Own')).toBe('head');
    expect(await text(app.request('/all', { method: 'PUT' }))).toBe('"PUT"');
    expect(await text(app.request('/all', { method: 'PURGE' }))).toBe('"purged"');
  });

  it('say hello in four lines', async () => {
    const app = createApp().get('/', () => ({ hello: 'world' }));
    expect(await text(app.request('/'))).toBe('{"hello":"world"}');
  });

  it('take precedence by their patterns, not by their order', async () => {
    const app = createApp()
      .get('/:id', ({ params }) => params.id)
      .get('/me', () => 'static');
    expect(await text(app.request('/me'))).toBe('"static"');
  });

  it('run after the middleware registered before them, and before what follows', async () => {
    const app = createApp()
      .use(mark('one'))
      .get('/a', () => 'a')
      .use(mark('two'))
      .get('/b', () => 'b')
      .route(
        '/c',
        createRouter().get('/', () => 'c'),
      )
      .get('/d', mark('route'), () => 'd');
    const marks = async (path: string) => (await app.request(path)).headers.get('X-Marks');
    expect(await Promise.all(['/a', '/b', '/c', '/d'].map(marks))).toEqual([
      'one',
      'one, two',
      'one, two',
      'one, two, route',
    ]);
  });

  it('are listed, and known to 405 and OPTIONS', async () => {
    const app = createApp()
      .get('/a/:id', () => 1)
      .use(mark('one'))
      .post('/a/:id', () => 2);
    expect(app.routes().map(({ method, pattern }) => `${method} ${pattern}`)).toEqual([
      'GET /a/:id',
      'POST /a/:id',
    ]);
    const response = await app.request('/a/7', { method: 'PUT' });
    expect([response.status, response.headers.get('Allow')]).toEqual([
      405,
      'GET, HEAD, OPTIONS, POST',
    ]);
  });

  it('conflict like those of routers', () => {
    expect(() =>
      start(
        createApp()
          .get('/:a', () => 1)
          .get('/:b', () => 2),
      ),
    ).toThrow(RouteConflictError);
    const app = createApp()
      .get('/:a', () => 1)
      .use(mark('one'))
      .get('/:b', () => 2);
    expect(() => app.seal()).toThrow(RouteConflictError);
  });

  it('compare paths as the options of the application say', async () => {
    const app = createApp({ caseSensitive: false, strict: true })
      .use('/Docs', mark('docs'))
      .get('/Docs', () => 'docs');
    expect((await app.request('/docs')).headers.get('X-Marks')).toBe('docs');
    expect((await app.request('/docs/')).status).toBe(404);
  });

  it('cannot be registered after the start', () => {
    const app = createApp();
    app.seal();
    expect(() => app.get('/', () => 1)).toThrow(new SealedError("app.get('/')"));
  });
});

describe('app.use(prefix, middleware)', () => {
  it.each([
    ['/admin', 'admin'],
    ['/admin/', 'admin'],
    ['/admin/users/7', 'admin'],
    ['/%61dmin', 'admin'],
    ['/admin%2Fx', null],
    ['/administrator', null],
    ['/Admin', null],
    ['/', null],
  ])('compares paths as the router does: %s', async (path, marks) => {
    const app = createApp().use('/admin', mark('admin'));
    expect((await app.request(path)).headers.get('X-Marks')).toBe(marks);
  });

  it('covers every path that a router without case matches', async () => {
    const app = createApp()
      .use('/admin', (ctx) => ctx.send('refused'))
      .route(
        '/admin',
        createRouter({ caseSensitive: false }).get('/x', () => 'secret'),
      );
    expect(await text(app.request('/ADMIN/x'))).toBe('refused');
    expect(await text(app.request('/admin/x'))).toBe('refused');
  });

  it.each(['/', ''])("runs for every path at '%s'", async (prefix) => {
    const app = createApp().use(prefix, mark('all'), mark('second'));
    expect((await app.request('/a/b')).headers.get('X-Marks')).toBe('all, second');
  });

  it('provides the parameters of the prefix, also to routes and after next()', async () => {
    const app = createApp()
      .use('/orgs/:org', (ctx, next) => {
        ctx.set('X-Org', `${ctx.params.org} ${ctx.pattern}`);
        return next();
      })
      .use('/orgs/:name', async (ctx, next) => {
        await next();
        ctx.append('X-Org', `${ctx.params.name} ${ctx.pattern}`);
      })
      .get('/orgs/:name/:id', ({ params, pattern }) => ({ ...params, pattern }));
    const response = await app.request('/orgs/a%20b/7');
    expect(response.headers.get('X-Org')).toBe('a b undefined, a b /orgs/:name/:id');
    expect(await response.json()).toEqual({
      org: 'a b',
      name: 'a b',
      id: '7',
      pattern: '/orgs/:name/:id',
    });
    expect((await app.request('/orgs/a')).status).toBe(404);
  });

  it('decodes a slash in a parameter of the prefix', async () => {
    const app = createApp().use('/orgs/:org', (ctx) => ctx.send(ctx.params.org));
    expect(await text(app.request('/orgs/a%2Fb/c'))).toBe('a/b');
  });

  it('may respond itself', async () => {
    const app = createApp()
      .use('/private', (ctx) => ctx.send('no'))
      .get('/private/x', () => 'secret');
    expect(await text(app.request('/private/x'))).toBe('no');
  });

  it('does not run for a malformed path, which gets 400', async () => {
    const app = createApp().use('/a', mark('a'));
    const response = await app.request('/a/%zz');
    expect([response.status, response.headers.get('X-Marks')]).toEqual([400, null]);
  });

  it('rejects what cannot work', () => {
    expect(() => start(createApp().use('a'))).toThrow(InvalidMiddlewareError);
    expect(() => start(createApp().use('/a/*', mark('x')))).toThrow(
      "The pattern '/a/*' is not valid: a prefix cannot contain a wildcard. Remove it: a prefix matches every path below it.\n  At: test/app-routes.test.ts:",
    );
  });
});
