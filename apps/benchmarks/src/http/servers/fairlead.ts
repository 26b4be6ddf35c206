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
import {
  AUTHORIZATION,
  countHop,
  HELLO,
  Items,
  pageOfUsers,
  RESOURCE_ROUTES,
  RESOURCES,
} from '../fixtures.js';

/** Listens with everything that a service has: errors, bodies, not-found answers, limits. */
function serve(router: Router, ...middleware: readonly Middleware[]): Promise<unknown> {
  const app: Application = createApp().use(errorHandler(), json(), ...middleware);
  return listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
}

const guard: Middleware = (ctx, next) => {
  if (ctx.get('authorization') !== AUTHORIZATION) throw new ForbiddenError('Access denied');
  return next();
};

const items = new Items();

/** Writes an answer of a workload as JSON. */
export type Write = (value: unknown) => string;

/**
 * Starts each workload.
 *
 * @param writers - What writes the answers of some workloads, in place of `JSON.stringify`.
 */
export const starters = (writers: Readonly<Record<string, Write>> = {}) => ({
  plaintext: () => serve(createRouter().get('/', (ctx) => ctx.send(HELLO))),
  json: () => serve(createRouter().get('/', (ctx) => ctx.json({ message: HELLO }, writers.json))),
  param: () => {
    const router = createRouter().get('/', (ctx) => ctx.json({}));
    for (const name of RESOURCES) {
      for (const [method, path] of RESOURCE_ROUTES) {
        router[method](`/${name}${path}`, (ctx) => ctx.json({ id: ctx.params.id }, writers.param));
      }
    }
    return serve(router);
  },
  post: () => serve(createRouter().post('/orders', (ctx) => ctx.json(ctx.body))),
  'async-10': () =>
    serve(
      createRouter().get('/', (ctx) => ctx.json({ hops: ctx.state.hops })),
      ...Array<Middleware>(10).fill(async (ctx, next) => {
        countHop(ctx.state);
        await next();
      }),
    ),
  'sync-10': () =>
    serve(
      createRouter().get('/', (ctx) => ctx.json({ hops: ctx.state.hops })),
      ...Array<Middleware>(10).fill((ctx, next) => {
        countHop(ctx.state);
        return next();
      }),
    ),
  page: () =>
    serve(
      createRouter().get('/users', (ctx) => {
        ctx.json(pageOfUsers(ctx.query.page, ctx.query.limit), writers.page);
      }),
    ),
  'class-get': () =>
    serve(
      createRouter().get('/items/:id', guard, (ctx) =>
        ctx.json(items.find(ctx.params.id ?? ''), writers['class-get']),
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
