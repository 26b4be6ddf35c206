import {
  type Application,
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  json,
  listen,
  type Middleware,
  notFoundHandler,
  type Router,
} from '@fairlead/core';
import * as fixtures from '../fixtures.js';

/** Listens with what a service needs: error handler, body parser, not-found handler, limits. */
function serve(router: Router, ...middleware: readonly Middleware[]): Promise<unknown> {
  const app: Application = createApp().use(errorHandler(), json(), ...middleware);
  return listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
}

const guard: Middleware = (ctx, next) => {
  if (ctx.get('authorization') !== fixtures.AUTHORIZATION)
    throw new ForbiddenError('Access denied');
  return next();
};

const hop: Middleware = async (ctx, next) => {
  fixtures.countHop(ctx.state);
  await next();
};

const hopSync: Middleware = (ctx, next) => {
  fixtures.countHop(ctx.state);
  return next();
};

const serveHops = (middleware: Middleware) =>
  serve(
    createRouter().get('/', (ctx) => ctx.json({ hops: ctx.state.hops })),
    ...Array<Middleware>(10).fill(middleware),
  );

const items = new fixtures.Items();

/** Serializes a response as JSON. */
export type Write = (value: unknown) => string;

/**
 * Creates the starter of each workload.
 *
 * @param writers - Serializers by workload. The default is `JSON.stringify`.
 */
export const starters = (writers: Readonly<Record<string, Write>> = {}) => ({
  plaintext: () => serve(createRouter().get('/', (ctx) => ctx.send(fixtures.HELLO))),
  json: () =>
    serve(createRouter().get('/', (ctx) => ctx.json({ message: fixtures.HELLO }, writers.json))),
  param: () => {
    const router = createRouter().get('/', (ctx) => ctx.json({}));
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        router[method](`/${name}${path}`, (ctx) => ctx.json({ id: ctx.params.id }, writers.param));
      }
    }
    return serve(router);
  },
  post: () => serve(createRouter().post('/orders', (ctx) => ctx.json(ctx.body))),
  'async-10': () => serveHops(hop),
  'sync-10': () => serveHops(hopSync),
  page: () =>
    serve(
      createRouter().get('/users', (ctx) => {
        ctx.json(fixtures.pageOfUsers(ctx.query.page, ctx.query.limit), writers.page);
      }),
    ),
  'class-get': () =>
    serve(
      createRouter().get('/items/:id', guard, (ctx) =>
        ctx.json(items.find(ctx.params.id), writers['class-get']),
      ),
    ),
  'class-post': () =>
    serve(
      createRouter().post('/items', guard, (ctx) => {
        ctx.json(items.create(ctx.body as { name: string }));
      }),
    ),
});

export const start = starters();
