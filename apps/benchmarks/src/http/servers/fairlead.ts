import {
  type Application,
  type ApplicationOptions,
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
function listenWith(
  app: Application,
  router: Router,
  ...middleware: readonly Middleware[]
): Promise<unknown> {
  app
    .use(errorHandler(), json(), ...middleware)
    .route('/', router)
    .use(notFoundHandler());
  return listen(app, 0, { host: '127.0.0.1' });
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

const items = new fixtures.Items();

/**
 * Creates the starter of each workload.
 *
 * @param options - The compiler for response schemas. Without it they are not applied.
 */
export const starters = (options: Pick<ApplicationOptions, 'compileResponse'> = {}) => {
  const serve = (router: Router, ...middleware: readonly Middleware[]): Promise<unknown> =>
    listenWith(createApp(options), router, ...middleware);
  const serveHops = (middleware: Middleware) =>
    serve(
      createRouter().get('/', (ctx) => ctx.json({ hops: ctx.state.hops })),
      ...Array<Middleware>(10).fill(middleware),
    );
  return {
    plaintext: () => serve(createRouter().get('/', (ctx) => ctx.send(fixtures.HELLO))),
    json: () =>
      serve(
        createRouter().get('/', { response: fixtures.MESSAGE_SCHEMA }, (ctx) =>
          ctx.json({ message: fixtures.HELLO }),
        ),
      ),
    param: () => {
      const router = createRouter().get('/', (ctx) => ctx.json({}));
      for (const name of fixtures.RESOURCES) {
        for (const [method, path] of fixtures.RESOURCE_ROUTES) {
          router[method](`/${name}${path}`, { response: fixtures.ID_SCHEMA }, (ctx) =>
            ctx.json({ id: ctx.params.id }),
          );
        }
      }
      return serve(router);
    },
    post: () => serve(createRouter().post('/orders', (ctx) => ctx.json(ctx.body))),
    'async-10': () => serveHops(hop),
    'sync-10': () => serveHops(hopSync),
    page: () =>
      serve(
        createRouter().get('/users', { response: fixtures.USER_PAGE_SCHEMA }, (ctx) => {
          ctx.json(fixtures.pageOfUsers(ctx.query.page, ctx.query.limit));
        }),
      ),
    'class-get': () =>
      serve(
        createRouter().get('/items/:id', { response: fixtures.ITEM_SCHEMA }, guard, (ctx) =>
          ctx.json(items.find(ctx.params.id)),
        ),
      ),
    'class-post': () =>
      serve(
        createRouter().post('/items', guard, (ctx) => {
          ctx.json(items.create(ctx.body as { name: string }));
        }),
      ),
    'valid-get': () =>
      serve(
        createRouter().get(
          '/search',
          { query: fixtures.Search, response: fixtures.Found },
          ({ query }) => fixtures.search(query),
        ),
      ),
    'valid-post': () =>
      serve(
        createRouter().post(
          '/orders',
          { body: fixtures.Order, response: fixtures.Order },
          ({ body }) => body,
        ),
      ),
  };
};

export const start = starters();
