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

const respond = (value: (ctx: Koa.Context) => unknown) => (ctx: Koa.Context) => {
  ctx.body = value(ctx);
};

const sendHello = respond(() => fixtures.HELLO);
const sendMessage = respond(() => ({ message: fixtures.HELLO }));
const sendEmpty = respond(() => ({}));
const sendHops = respond((ctx) => ({ hops: ctx.state.hops }));
const sendOrder = respond((ctx) => ctx.request.body);
const sendPage = respond(({ query }) => fixtures.pageOfUsers(`${query.page}`, `${query.limit}`));

const items = new fixtures.Items();
const findItem = respond((ctx) => items.find(ctx.params.id));
const createItem = respond((ctx) => items.create(ctx.request.body as { name: string }));

export const start = {
  plaintext: () => serve(new Router().get('/', sendHello)),
  json: () => serve(new Router().get('/', sendMessage)),
  param: () => {
    const router = new Router().get('/', sendEmpty);
    for (const name of fixtures.RESOURCES) {
      for (const [method, path] of fixtures.RESOURCE_ROUTES) {
        const sendId = respond((ctx) => ({ id: ctx.params.id }));
        router[method](`/${name}${path}`, sendId);
      }
    }
    return serve(router);
  },
  post: () => serve(new Router().post('/orders', sendOrder), bodyParser()),
  'async-10': () => serve(new Router().get('/', sendHops), ...Array<Koa.Middleware>(10).fill(hop)),
  'sync-10': () =>
    serve(new Router().get('/', sendHops), ...Array<Koa.Middleware>(10).fill(hopSync)),
  page: () => serve(new Router().get('/users', sendPage)),
  'class-get': () => serve(new Router().get('/items/:id', guard, findItem)),
  'class-post': () => serve(new Router().post('/items', guard, createItem), bodyParser()),
};
