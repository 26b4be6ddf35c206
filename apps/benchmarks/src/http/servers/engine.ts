import type * as Core from '@fairlead/core';
import { loadPackage } from '../../engine/load.js';
import * as fixtures from '../fixtures.js';

// Measured on old commits, too: only use what the packages have exported for long, and no response schemas.
const core = await loadPackage<typeof Core>('core');
const { createRouter } = core;

/**
 * Listens with what a service needs: an error handler, a body parser, a not-found handler and limits.
 *
 * @param plugin - Registers routes in the router.
 */
export async function serve(
  router: Core.Router,
  middleware: readonly Core.Middleware[] = [],
  plugin?: Core.Plugin,
  options?: Core.ApplicationOptions,
): Promise<Core.Server> {
  const app = core.createApp(options).use(core.errorHandler(), core.json(), ...middleware);
  if (plugin !== undefined) await app.plugin(plugin);
  return core.listen(app.route('/', router).use(core.notFoundHandler()), 0, { host: '127.0.0.1' });
}

/** The middlewares of `async-10`. */
export const HOPS = Array<Core.Middleware>(10).fill(async (ctx, next) => {
  fixtures.countHop(ctx.state);
  await next();
});

/** Serves the number of middlewares that a request has passed through. */
export const serveHops = (middleware: readonly Core.Middleware[]) =>
  serve(
    createRouter().get('/', (ctx) => ctx.json({ hops: ctx.state.hops })),
    middleware,
  );

export const guard: Core.Middleware = (ctx, next) => {
  if (ctx.get('authorization') !== fixtures.AUTHORIZATION)
    throw new core.ForbiddenError('Access denied');
  return next();
};

export const items = new fixtures.Items();

export const start = {
  plaintext: () => serve(createRouter().get('/', (ctx) => ctx.send(fixtures.HELLO))),
  param: () => {
    const router = createRouter().get('/', (ctx) => ctx.json({}));
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        router[method](`/${name}${path}`, (ctx) => ctx.json({ id: ctx.params.id }));
      }
    }
    return serve(router);
  },
  post: () => serve(createRouter().post('/orders', (ctx) => ctx.json(ctx.body))),
  'async-10': () => serveHops(HOPS),
  'class-get': () =>
    serve(createRouter().get('/items/:id', guard, (ctx) => ctx.json(items.find(ctx.params.id)))),
  'class-post': () =>
    serve(
      createRouter().post('/items', guard, (ctx) =>
        ctx.json(items.create(ctx.body as { name: string })),
      ),
    ),
  page: () =>
    serve(
      createRouter().get('/users', (ctx) =>
        ctx.json(fixtures.pageOfUsers(ctx.query.page, ctx.query.limit)),
      ),
    ),
  'valid-post': () =>
    serve(createRouter().post('/orders', { body: fixtures.Order }, ({ body }) => body)),
};
