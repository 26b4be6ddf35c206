import { serve as listen } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import * as fixtures from '../fixtures.js';

type Env = { Variables: { state: { hops?: unknown } } };

const serve = (app: Hono<Env>) => listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });

const guard: MiddlewareHandler = async (c, next) => {
  if (c.req.header('authorization') !== fixtures.AUTHORIZATION) {
    return c.json({ error: 'Access denied' }, 403);
  }
  await next();
};

const hop: MiddlewareHandler<Env> = async (c, next) => {
  const state = c.get('state') ?? {};
  fixtures.countHop(state);
  c.set('state', state);
  await next();
};

const hopSync: MiddlewareHandler<Env> = (c, next) => {
  const state = c.get('state') ?? {};
  fixtures.countHop(state);
  c.set('state', state);
  return next();
};

function withMiddleware(middleware: MiddlewareHandler<Env>): Hono<Env> {
  const app = new Hono<Env>();
  for (const _ of Array(10)) app.use(middleware);
  return app.get('/', (c) => c.json(c.get('state')));
}

const items = new fixtures.Items();

export const start = {
  plaintext: () => serve(new Hono<Env>().get('/', (c) => c.text(fixtures.HELLO))),
  json: () => serve(new Hono<Env>().get('/', (c) => c.json({ message: fixtures.HELLO }))),
  param: () => {
    const app = new Hono<Env>();
    app.get('/', (c) => c.json({}));
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        app[method](`/${name}${path}`, (c) => c.json({ id: c.req.param('id') }));
      }
    }
    return serve(app);
  },
  post: () => serve(new Hono<Env>().post('/orders', async (c) => c.json(await c.req.json()))),
  'async-10': () => serve(withMiddleware(hop)),
  'sync-10': () => serve(withMiddleware(hopSync)),
  page: () =>
    serve(
      new Hono<Env>().get('/users', (c) => {
        return c.json(fixtures.pageOfUsers(c.req.query('page'), c.req.query('limit')));
      }),
    ),
  'class-get': () =>
    serve(new Hono<Env>().get('/items/:id', guard, (c) => c.json(items.find(c.req.param('id'))))),
  'class-post': () =>
    serve(
      new Hono<Env>().post('/items', guard, async (c) => c.json(items.create(await c.req.json()))),
    ),
};
