import { getQuery, getRouterParam, H3, HTTPError, type Middleware, readBody, serve } from 'h3';
import * as fixtures from '../fixtures.js';
import type { ServerModule } from '../servers.js';

const listen = (app: H3) => serve(app, { port: 0, hostname: '127.0.0.1', silent: true });

const guard: Middleware = (event, next) => {
  if (event.req.headers.get('authorization') !== fixtures.AUTHORIZATION) {
    throw new HTTPError({ status: 403, message: 'Access denied' });
  }
  return next();
};

const hop: Middleware = async (event, next) => {
  fixtures.countHop(event.context);
  return await next();
};

const hopSync: Middleware = (event, next) => {
  fixtures.countHop(event.context);
  return next();
};

function withMiddleware(middleware: Middleware): H3 {
  const app = new H3();
  for (const _ of Array(10)) app.use(middleware);
  return app.get('/', (event) => ({ hops: event.context.hops }));
}

const items = new fixtures.Items();

export const start: ServerModule['start'] = {
  plaintext: () => listen(new H3().get('/', () => fixtures.HELLO)),
  json: () => listen(new H3().get('/', () => ({ message: fixtures.HELLO }))),
  param: () => {
    const app = new H3().get('/', () => ({}));
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        app[method](`/${name}${path}`, (event) => ({ id: getRouterParam(event, 'id') }));
      }
    }
    return listen(app);
  },
  post: () => listen(new H3().post('/orders', (event) => readBody(event))),
  'async-10': () => listen(withMiddleware(hop)),
  'sync-10': () => listen(withMiddleware(hopSync)),
  page: () =>
    listen(
      new H3().get('/users', (event) => {
        const { page, limit } = getQuery(event);
        return fixtures.pageOfUsers(`${page}`, `${limit}`);
      }),
    ),
  'class-get': () =>
    listen(
      new H3().get('/items/:id', (event) => items.find(getRouterParam(event, 'id') ?? ''), {
        middleware: [guard],
      }),
    ),
  'class-post': () =>
    listen(
      new H3().post(
        '/items',
        async (event) => items.create((await readBody<{ name: string }>(event)) ?? { name: '' }),
        { middleware: [guard] },
      ),
    ),
};
