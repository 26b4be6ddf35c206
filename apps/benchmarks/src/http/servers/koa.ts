import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import * as fixtures from '../fixtures.js';

function serve(router: Router, ...middleware: readonly Koa.Middleware[]): unknown {
  const app = new Koa();
  for (const each of middleware) app.use(each);
  return app.use(router.routes()).use(router.allowedMethods()).listen(0, '127.0.0.1');
}

const guard: Koa.Middleware = (ctx, next) => {
  if (ctx.get('authorization') !== fixtures.AUTHORIZATION) ctx.throw(403, 'Access denied');
  return next();
};

const hop: Koa.Middleware = async (ctx, next) => {
  fixtures.countHop(ctx.state);
  await next();
};

const hopSync: Koa.Middleware = (ctx, next) => {
  fixtures.countHop(ctx.state);
  return next();
};

const answer = (value: (ctx: Koa.Context) => unknown) => (ctx: Koa.Context) => {
  ctx.body = value(ctx);
};

const items = new fixtures.Items();

export const start = {
  plaintext: () =>
    serve(
      new Router().get(
        '/',
        answer(() => fixtures.HELLO),
      ),
    ),
  json: () =>
    serve(
      new Router().get(
        '/',
        answer(() => ({ message: fixtures.HELLO })),
      ),
    ),
  param: () => {
    const router = new Router().get(
      '/',
      answer(() => ({})),
    );
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        router[method](
          `/${name}${path}`,
          answer((ctx) => ({ id: ctx.params.id })),
        );
      }
    }
    return serve(router);
  },
  post: () =>
    serve(
      new Router().post(
        '/orders',
        answer((ctx) => ctx.request.body),
      ),
      bodyParser(),
    ),
  'async-10': () =>
    serve(
      new Router().get(
        '/',
        answer((ctx) => ({ hops: ctx.state.hops })),
      ),
      ...Array<Koa.Middleware>(10).fill(hop),
    ),
  'sync-10': () =>
    serve(
      new Router().get(
        '/',
        answer((ctx) => ({ hops: ctx.state.hops })),
      ),
      ...Array<Koa.Middleware>(10).fill(hopSync),
    ),
  page: () =>
    serve(
      new Router().get(
        '/users',
        answer((ctx) => fixtures.pageOfUsers(`${ctx.query.page}`, `${ctx.query.limit}`)),
      ),
    ),
  'class-get': () =>
    serve(
      new Router().get(
        '/items/:id',
        guard,
        answer((ctx) => items.find(ctx.params.id)),
      ),
    ),
  'class-post': () =>
    serve(
      new Router().post(
        '/items',
        guard,
        answer((ctx) => items.create(ctx.request.body as { name: string })),
      ),
      bodyParser(),
    ),
};
