import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createApp, createRouter, intended, json, listen, type Middleware } from '@fairlead/core';
import cookieParser from 'cookie-parser';
import express from 'express';
import morgan from 'morgan';
import { Passport } from 'passport';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';
import { EXPRESS, serveExpress } from './support/express.js';

/** Sends a request line with any target, and returns the response. */
async function send(url: string, path: string, method = 'GET') {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response), headers: response.headers };
}

/** What middleware reads of the request to know where it runs. */
const LOCATION = ['url', 'baseUrl', 'originalUrl', 'params', 'query'];

/** Responds with the members of the request that tell middleware where it runs. */
const locate: ConnectMiddleware = (req, res) => {
  res.end(JSON.stringify(LOCATION.map((name) => Reflect.get(req, name))));
};

/** Adds a header with the members of the request that tell middleware where it runs. */
const noteLocation: ConnectMiddleware = (req, res, next) => {
  const found = ['url', 'baseUrl', 'originalUrl'].map((name) => Reflect.get(req, name));
  res.appendHeader('X-Location', found.join(' '));
  next();
};

describe.each(EXPRESS)('as in %s, middleware', (_, create) => {
  it.each([
    '/?a=1&a=2&b=%C3%BC',
    '/admin',
    '/admin?a=1',
    '/admin/',
    '/admin/users/7?a=1',
    '/teams/red/x/y',
    '/teams/a%2Fb%20c',
    '/teams/red?x=/admin',
    '/api/v1/tasks/7?done=true',
    '/api/v1/files/a/b',
    'http://example.com/admin/users?a=1',
    'http://example.com/admin',
  ])('sees the same URL, prefix, parameters and query for %s', async (path) => {
    const old = create();
    const tasks = create.Router();
    tasks.get('/tasks/:id', locate);
    tasks.use('/files', locate);
    const api = create.Router().use('/v1', tasks);
    old.use('/admin', noteLocation, locate).use('/teams/:team', locate).use('/api', api, locate);
    old.use(locate);

    const moved = createRouter().get('/tasks/:id', connect(locate));
    const app = createApp()
      .use('/admin', connect(noteLocation), connect(locate))
      .use('/teams/:team', connect(locate))
      .use('/api/v1/files', connect(locate))
      .route('/api', createRouter().route('/v1', moved))
      .use('/api', connect(locate))
      .use(connect(locate));
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const [expected, actual] = [
      await send(await serveExpress(old), path),
      await send(server.url, path),
    ];
    expect(JSON.parse(actual.body)).toEqual(JSON.parse(expected.body));
    expect(actual.headers['x-location']).toEqual(expected.headers['x-location']);
  });
});

it('sees its whole URL again after middleware below a prefix', async () => {
  const app = createApp()
    .use('/admin', connect(noteLocation))
    .use(connect(noteLocation))
    .get('/admin/users', () => 'users');
  const response = await app.request('/admin/users?a=1');
  expect(response.headers.get('X-Location')).toBe(
    '/users?a=1 /admin /admin/users?a=1, /admin/users?a=1  /admin/users?a=1',
  );
});

it('keeps what middleware below a prefix does to the URL', async () => {
  const app = createApp()
    .use(
      '/app',
      connect((req, _res, next) => {
        req.url = '/index.html?a=2';
        next();
      }),
    )
    .use((ctx, next) => {
      ctx.set('X-Path', ctx.path);
      return next();
    })
    .use('/app', connect(locate));
  const response = await app.request('/app/page?a=1');
  expect(response.headers.get('X-Path')).toBe('/app/page');
  expect(await response.json()).toEqual([
    '/index.html?a=2',
    '/app',
    '/app/page?a=1',
    {},
    { a: '1' },
  ]);
});

it('removes no prefix from a URL that middleware has replaced', async () => {
  const app = createApp()
    .use(
      connect((req, _res, next) => {
        req.url = '/other/page';
        next();
      }),
    )
    .use('/app', connect(locate));
  expect(await (await app.request('/app/page')).json()).toEqual([
    '/other/page',
    '',
    '/app/page',
    {},
    {},
  ]);
});

it('leaves the whole URL to middleware upstream when the middleware below a prefix responds', async () => {
  const urls: unknown[] = [];
  const noteUrl: Middleware = async (ctx, next) => {
    await next();
    urls.push(ctx.req.url);
  };
  const app = createApp()
    .use(noteUrl)
    .use(
      '/admin',
      connect((_req, res) => void setImmediate(() => res.end())),
    );
  await (await app.request('/admin/users')).text();
  await expect.poll(() => urls).toEqual(['/admin/users']);
});

describe('what Fairlead knows', () => {
  it('is visible as req.params in a route, in its own copy', async () => {
    const app = createApp()
      .use('/:team', (_ctx, next) => next())
      .get(
        '/:team/:id',
        connect((req, _res, next) => {
          const params = Reflect.get(req, 'params');
          params.team = 'changed';
          next();
        }),
        connect((req, _res, next) => {
          Reflect.set(req, 'seen', Reflect.get(req, 'params'));
          next();
        }),
        ({ params, req }) => ({ params, seen: Reflect.get(req, 'seen') }),
      );
    expect(await (await app.request('/a%20b/7')).json()).toEqual({
      params: { team: 'a b', id: '7' },
      seen: { team: 'a b', id: '7' },
    });
  });

  it('is visible as res.locals, which is ctx.state in both directions', async () => {
    const app = createApp()
      .use((ctx, next) => {
        ctx.state.tenant = 'acme';
        return next();
      })
      .use(
        connect((_req, res, next) => {
          const locals = Reflect.get(res, 'locals');
          locals.user = `ada@${locals.tenant}`;
          next();
        }),
        connect((_req, res, next) => {
          const locals = Reflect.get(res, 'locals');
          locals.seen = locals.user;
          next();
        }),
      )
      .get('/', ({ state }) => state);
    expect(await (await app.request('/')).json()).toEqual({
      tenant: 'acme',
      user: 'ada@acme',
      seen: 'ada@acme',
    });
  });

  it.each(EXPRESS)(
    'is visible in an application of %s, and its locals in ctx.state',
    async (_, create) => {
      const old = create();
      old.use((_req, res, next) => {
        res.locals.seen = res.locals.tenant;
        next();
      });
      const app = createApp()
        .use((ctx, next) => {
          ctx.state.tenant = 'acme';
          return next();
        })
        .use(connect(old))
        .get('/', ({ state }) => state);
      expect(await (await app.request('/')).json()).toEqual({ tenant: 'acme', seen: 'acme' });
    },
  );
});

describe.each(EXPRESS)('an application of %s', (_, create) => {
  it('parses queries with its own parser, after middleware that does not read them', async () => {
    const old = create().set('query parser', 'extended');
    old.get('/', (req, res) => void res.json(req.query));
    const app = createApp().use(connect(noteLocation), connect(old));
    expect(await (await app.request('/?a[b]=1')).json()).toEqual({ a: { b: '1' } });
  });

  it('sees the query that middleware has replaced', async () => {
    const old = create();
    old.get('/', (req, res) => void res.json(req.query));
    const clean: ConnectMiddleware = (req, _res, next) => {
      Reflect.set(req, 'query', { a: 'clean' });
      next();
    };
    const app = createApp().use(connect(clean), connect(old));
    expect(await (await app.request('/?a=1')).json()).toEqual({ a: 'clean' });
  });

  it('redirects as it does by itself', async () => {
    const old = create();
    old.get('/old', (_req, res) => void res.redirect(301, '/new'));
    const app = createApp().use(connect(noteLocation), connect(old));
    const response = await app.request('/old', { redirect: 'manual' });
    expect([response.status, response.headers.get('Location')]).toEqual([301, '/new']);
    expect(await response.text()).toBe('Moved Permanently. Redirecting to /new');
  });

  it.each([
    ['JSON', 'application/json', '{"a":1}', { a: 1 }],
    ['a form that json() leaves unread', 'application/x-www-form-urlencoded', 'a=1', { a: '1' }],
  ])('parses %s with its own parsers behind json()', async (_kind, type, body, expected) => {
    const old = create().use(create.json(), create.urlencoded({ extended: false }));
    old.post('/', (req, res) => void res.json(req.body));
    const app = createApp().use(json()).use(connect(old));
    const response = await app.request('/', {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });
    expect(await response.json()).toEqual(expected);
  });

  it('knows the prefix at which it runs', async () => {
    const old = create();
    old.get('/users/:id', (req, res) => {
      res.json([req.url, req.baseUrl, req.originalUrl, req.path, req.params]);
    });
    const app = createApp().use('/old', connect(old));
    expect(await (await app.request('/old/users/7?a=1')).json()).toEqual([
      '/users/7?a=1',
      '/old',
      '/old/users/7?a=1',
      '/users/7',
      { id: '7' },
    ]);
  });

  it('may call next() below a prefix', async () => {
    const app = createApp()
      .use('/old', connect(create()))
      .get('/old/users', (ctx) => ctx.req.url);
    expect(await (await app.request('/old/users?a=1')).json()).toBe('/old/users?a=1');
  });
});

describe('connect() refuses a factory that was not called', () => {
  it.each<[string, unknown]>([
    ['morgan', morgan],
    ['cookieParser', cookieParser],
    ['serveStatic', express.static],
    ['authenticate', new Passport().authenticate],
    ['setup', (_document: 1, _opts: 1, _options: 1, _css: 1, _icon: 1) => undefined],
  ])('%s', (_name, factory) => {
    expect(() => Reflect.apply(connect, undefined, [factory])).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(
          /^connect\(\) received (?:the|a) function.*, which is not middleware \(req, res, next\)\. If it returns middleware, call it: connect\(\w+\(\)\)\.$/,
        ),
      }),
    );
  });

  it('with other names of parameters, at the first request', async () => {
    const factory = (_a: unknown, _b: unknown): ConnectMiddleware => locate;
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(connect(factory));
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_CONNECT_MIDDLEWARE',
        message:
          'connect() received the function factory, which is not middleware (req, res, next). If it returns middleware, call it: connect(factory()).',
      }),
    ]);
  });
});

describe('middleware that needs Express', () => {
  const later = async (_req: unknown, res: express.Response) => {
    await Promise.resolve();
    res.cookie('a', '1').end();
  };
  const now = (req: express.Request, res: express.Response) => {
    res.end(req.accepts('json'));
  };

  it.each([
    ['now', 'req.accepts', now as never],
    ['later', 'res.cookie', later],
    [
      'passed',
      'res.vary',
      function passed(_req: unknown, response: express.Response, next: express.NextFunction) {
        const res = response;
        try {
          res.vary('Accept').end();
        } catch (error) {
          next(error);
        }
      },
    ],
  ])('gets a message with the fix: %s', async (name, method, middleware) => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(
      connect(Object.defineProperty(middleware, 'length', { value: 3 })),
    );
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'INVALID_CONNECT_MIDDLEWARE',
        message: `The middleware '${name}' needs Express: ${method} is not a function. Run it in an Express application: connect(express().use(${name})).`,
        cause: expect.any(TypeError),
      }),
    ]);
    const fixed = createApp().use(connect(express().use(middleware)));
    expect((await fixed.request('/')).status).not.toBe(500);
  });

  it('keeps other errors as they are', async () => {
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(
      connect((req, _res, _next) => void Reflect.apply(Reflect.get(req, 'missing'), req, [])),
    );
    await app.request('/');
    expect(errors).toEqual([expect.not.objectContaining({ code: expect.anything() })]);
  });
});

describe.each(EXPRESS)('a router of %s without an application', (_, create) => {
  const createTasks = () => create.Router().get('/', (_req, res) => void res.links({}).json([]));

  it('is a warning with the fix, and its handlers get one, too', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const errors: unknown[] = [];
    const app = createApp({ onError: (error) => void errors.push(error) }).use(
      connect(createTasks()),
    );
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /Mount it in an application: connect\(express\(\)\.use\(router\)\)\..+\n {2}At: test\/express\.test\.ts:/,
        ),
        { type: 'FairleadWarning', code: 'FAIRLEAD_BARE_ROUTER' },
      ],
    ]);
    expect((await app.request('/')).status).toBe(500);
    expect(errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('connect(express().use(router))'),
      }),
    ]);
  });

  it('runs in an application or as intended without a warning', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    onTestFinished(() => warn.mockRestore());
    const plain = create.Router().get('/plain', (_req, res) => void res.end('plain'));
    const app = createApp()
      .use(connect(intended(plain)))
      .use(connect(create().use(createTasks())));
    expect(await (await app.request('/')).json()).toEqual([]);
    expect(await (await app.request('/plain')).text()).toBe('plain');
    expect(warn).not.toHaveBeenCalled();
  });
});
