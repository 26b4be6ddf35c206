import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Controller, controllersPlugin, Get, UseMiddleware } from '@fairlead/controllers';
import { createApp, createRouter, json, listen, type Middleware } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import express from 'express';
import session from 'express-session';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ConnectMiddleware, connect } from '../src/index.js';
import { EXPRESS } from './support/express.js';
import { serve } from './support/serve.js';

const mark: Middleware = connect((_req, res, next) => {
  res.setHeader('X-Mark', '1');
  next();
});

@Controller('/class')
class MarkedController {
  @Get()
  @UseMiddleware(mark)
  read() {
    return 'class';
  }
}

it('runs with app.use(), router.use(), on a route and with @UseMiddleware()', async () => {
  const router = createRouter()
    .use(mark)
    .get('/router', () => 'router');
  const classes = createRouter();
  const app = createApp()
    .use('/app', mark)
    .route('/', router)
    .get('/app', () => 'app')
    .get('/route', mark, () => 'route')
    .get('/none', () => 'none');
  await app.plugin(
    controllersPlugin({
      router: classes,
      controllers: [MarkedController],
      container: createContainer(),
    }),
  );
  app.route('/', classes);
  const paths = ['/app', '/router', '/route', '/class', '/none'];
  const responses = await Promise.all(paths.map((path) => app.request(path)));
  expect(responses.map(({ status, headers }) => [status, headers.get('X-Mark')])).toEqual([
    [200, '1'],
    [200, '1'],
    [200, '1'],
    [200, '1'],
    [200, null],
  ]);
});

it('has no dependencies', async () => {
  const file = await readFile(join(import.meta.dirname, '../package.json'), 'utf8');
  expect(Object.keys(JSON.parse(file))).not.toContain('dependencies');
  expect(Object.keys(JSON.parse(file).peerDependencies)).toEqual(['@fairlead/core']);
});

it.each([
  [{}, 'http', null],
  [{ proxy: 1 }, 'http', null],
  [{ proxy: 1 }, 'https', expect.stringMatching(/^connect\.sid=.*; Secure$/)],
])(
  'express-session sends a secure cookie with %o behind a proxy for %s: %s',
  async (options, protocol, cookie) => {
    const sessions = session({
      secret: 'x'.repeat(32),
      resave: false,
      saveUninitialized: true,
      cookie: { secure: true },
    });
    const app = createApp(options)
      .use(connect(sessions))
      .get('/', () => 'home');
    const response = await app.request('/', { headers: { 'X-Forwarded-Proto': protocol } });
    expect(response.headers.get('Set-Cookie')).toEqual(cookie);
  },
);

describe.each(EXPRESS)('inside an application of %s', (_, create) => {
  it('views, settings and error handlers work', async () => {
    const old = create()
      .set('views', import.meta.dirname)
      .set('view engine', 'ts');
    old.engine('ts', (path, options, done) =>
      done(null, `${path.slice(-10)} ${Reflect.get(options, 'name')}`),
    );
    old.get('/view', (_req, res) => res.render('promises.test.ts', { name: 'Ada' }));
    old.get('/broken', () => {
      throw new Error('Broken.');
    });
    old.use(
      ((error, _req, res, _next) =>
        void res.status(418).json(error.message)) as express.ErrorRequestHandler,
    );
    const app = createApp().use(connect(old));
    expect(await (await app.request('/view')).text()).toBe('es.test.ts Ada');
    const broken = await app.request('/broken');
    expect([broken.status, await broken.json()]).toEqual([418, 'Broken.']);
    expect(broken.headers.get('X-Powered-By')).toBe('Express');
  });

  it('middleware sees a query that middleware before the application has changed', async () => {
    const old = create();
    old.get('/', (req, res) => void res.json(req.query));
    const app = createApp()
      .use(
        connect((req, _res, next) => {
          Reflect.get(req, 'query').a = 'clean';
          next();
        }),
      )
      .use((ctx, next) => {
        ctx.set('X-Query', String(ctx.query.a));
        return next();
      })
      .use(connect(old));
    const response = await app.request('/?a=1');
    expect(await response.json()).toEqual({ a: 'clean' });
    expect(response.headers.get('X-Query')).toBe('1');
  });

  it.each<[string, Middleware[]]>([
    ['Express', [connect(create.json()), json()]],
    ['Fairlead', [json(), connect(create.json())]],
  ])('a body that the parser of %s has read is not read again', async (_first, parsers) => {
    const app = createApp()
      .use(...parsers)
      .post('/', ({ body }) => ({ body }));
    const response = await app.request('/', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await response.json()).toEqual({ body: { a: 1 } });
  });

  it('a client that expects 100 Continue is asked once for a body that middleware reads', async () => {
    let continued = 0;
    const app = createApp().post('/', connect(create.json()), ({ body }) => ({ body }));
    const server = await listen(app, 0, { host: '127.0.0.1' });
    onTestFinished(() => server.close({ timeout: 0 }));
    const headers = { Expect: '100-continue', 'Content-Type': 'application/json' };
    const sent = request(server.url, { method: 'POST', headers });
    sent.on('continue', () => {
      continued += 1;
    });
    sent.end('{"a":1}');
    const [response] = await once(sent, 'response');
    expect([JSON.parse(await text(response)), continued]).toEqual([{ body: { a: 1 } }, 1]);
  });
});

it("next('route') and next('router') are errors", async () => {
  const errors: unknown[] = [];
  const skip =
    (target: string): ConnectMiddleware =>
    (_req, _res, next) =>
      next(target);
  const app = createApp({ onError: (error) => void errors.push(error) })
    .get('/route', connect(skip('route')), () => 'not skipped')
    .get('/router', connect(skip('router')), () => 'not skipped');
  const statuses = [(await app.request('/route')).status, (await app.request('/router')).status];
  expect([statuses, errors]).toEqual([
    [500, 500],
    ['route', 'router'],
  ]);
});

it.each([
  [{ expose: true }, 'The name is taken.'],
  [{}, 'Conflict'],
])('clients see the message of an error with a status and %o: %s', async (members, detail) => {
  const error = Object.assign(new Error('The name is taken.'), { status: 409, ...members });
  const app = createApp().use(connect((_req, _res, next) => next(error)));
  const response = await app.request('/');
  expect([response.status, await response.json()]).toEqual([
    409,
    expect.objectContaining({ detail }),
  ]);
});

it('sees a WebSocket handshake', async () => {
  const url = await serve(
    connect((req, res, next) => {
      res.setHeader('X-Upgrade', String(req.headers.upgrade));
      next();
    }),
  );
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
  };
  const [response] = await once(request(url, { headers }).end(), 'response');
  response.resume();
  expect([response.statusCode, response.headers['x-upgrade']]).toEqual([404, 'websocket']);
});
