import { setImmediate as nextTurn } from 'node:timers/promises';
import { Controller, Get, UseMiddleware } from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  type Next,
} from '@fairlead/core';
import { serveControllers } from '../src/applications.js';
import { area, post } from '../src/mistake.js';

const mistake = area('Middleware');

/** Creates an application with middleware before a route that takes time. */
const serveBehind = (middleware: Middleware) =>
  createApp()
    .use(middleware)
    .get('/', async () => {
      await nextTurn();
      return 1;
    });

mistake('middleware that neither responds nor calls `next()`', { request: 'next()' }, () =>
  serveBehind((ctx) => ctx.set('X-Time', '1')),
);

mistake('`next` without a call', { request: 'next()' }, () =>
  serveBehind(async (_ctx, next) => {
    await next;
  }),
);

mistake(
  '`next()` neither awaited nor returned, before a route that takes time',
  { request: 'await' },
  () =>
    serveBehind((_ctx, next) => {
      next();
    }),
);

mistake(
  '`next()` neither awaited nor returned, before a synchronous route',
  { never: 'The route has already run.' },
  () =>
    createApp()
      .use(async (ctx, next) => {
        next();
        await nextTurn();
        ctx.set('X-Time', '1');
      })
      .get('/', () => 1),
);

mistake(
  '`next()` neither awaited nor returned, before a route that fails',
  { request: 'no database' },
  () =>
    createApp()
      .use(errorHandler(), async (_ctx, next) => {
        next();
      })
      .get('/', async () => {
        await nextTurn();
        throw new Error('no database');
      }),
);

mistake('`ctx.next()` neither awaited nor returned', { request: 'await' }, () =>
  serveBehind((ctx) => {
    ctx.next();
  }),
);

mistake('`setTimeout(next)`', { request: 'next()' }, () =>
  serveBehind((_ctx, next) => {
    setTimeout(next);
  }),
);

mistake('`next()` twice', { request: 'next() more than once' }, () =>
  serveBehind(async function twice(_ctx, next) {
    await next();
    await next();
  }),
);

mistake('`next(error)`, as in Express', { compiler: 'arguments' }, () =>
  serveBehind((_ctx, next) => next(new Error('no database'))),
);

mistake(
  '`(req, res, next)`, as in Express',
  { compiler: 'Expected 3 or more, but got 2', startup: 'connect(' },
  () =>
    createApp()
      .use((_req: unknown, _res: unknown, next: () => unknown) => next())
      .get('/', () => 1),
);

mistake(
  '`(req, res) => res.json(…)`, as in Express',
  { compiler: "'json'", request: 'json is not a function' },
  () => createApp().get('/', (_req, res) => res.json({ hello: 'world' })),
);

mistake(
  '`(error, req, res, next)`, as in Express',
  { compiler: 'Expected 4 or more, but got 2', startup: 'errorHandler' },
  () =>
    createApp()
      .use((_error: unknown, _req: unknown, _res: unknown, next: () => unknown) => next())
      .get('/', () => 1),
);

mistake(
  '`(request, reply)`, as in Fastify',
  { compiler: "'send'", request: 'send is not a function' },
  () => createApp().get('/', (_request, reply) => reply.send('hello')),
);

mistake('`ctx.body = …`, as in Koa', { request: 'Return a value' }, () =>
  createApp().get('/', (ctx) => {
    ctx.body = { hello: 'world' };
  }),
);

mistake(
  '`ctx.request.body.a`, as in Koa',
  { compiler: "'a'", request: 'sent no response' },
  () => createApp().post('/', (ctx) => ctx.request.body.a),
  post('/', { a: 1 }),
);

mistake(
  '`ctx.res.json(…)`, as in Express',
  { compiler: "'json'", request: 'json is not a function' },
  () => createApp().get('/', (ctx) => ctx.res.json({})),
);

mistake(
  '`ctx.req.body`, as in Express',
  { compiler: "'body'", never: 'node has no such property.' },
  () => createApp().post('/', (ctx) => ({ body: ctx.req.body })),
  post('/', { a: 1 }),
);

mistake(
  '`ctx.takeOver()` of a response that is never ended',
  { never: 'The handler may end it later.' },
  () =>
    createApp().get('/', (ctx) => {
      ctx.takeOver();
    }),
);

mistake(
  'a response in a callback, after the handler has returned',
  { request: 'Return a value' },
  () =>
    createApp().get('/', (ctx) => {
      setTimeout(() => ctx.json({ late: true }));
    }),
);

mistake('a promise that the handler does not return', { request: 'Return a value' }, () =>
  createApp().get('/', (ctx) => {
    nextTurn(7).then((value) => ctx.json(value));
  }),
);

mistake('a rejected promise that the handler does not return', { request: 'no database' }, () =>
  createApp().get('/', () => {
    Promise.reject(new Error('no database'));
    return 1;
  }),
);

mistake(
  "`app.use(() => 'hello')`, a value returned by middleware",
  { request: 'ctx.respond(value)' },
  () => createApp().use(() => 'hello'),
);

mistake(
  'an array of middleware',
  { compiler: 'provides no match for the signature', startup: 'Spread it' },
  () => createApp().use([(_ctx: Context, next: Next) => next()]),
);

mistake(
  '`app.use([…], fn)`, several prefixes as in Express',
  { compiler: 'provides no match for the signature', startup: 'Call it once for each prefix' },
  () => createApp().use(['/a', '/b'], (_ctx: Context, next: Next) => next()),
);

mistake(
  "`app.use('/a', '/b', fn)`, several prefixes",
  { compiler: 'TS2769', startup: 'Call it once for each prefix' },
  () => createApp().use('/a', '/b', (_ctx: Context, next: Next) => next()),
);

mistake('`app.use(undefined)`', { compiler: 'TS2769', startup: 'Pass functions' }, () =>
  createApp().use(undefined),
);

mistake('`app.use()`', { never: 'It does nothing, as with a list that is empty.' }, () =>
  createApp().use(),
);

mistake(
  "`app.use('/admin')` without middleware",
  { never: 'It does nothing, as with a list that is empty.' },
  () => createApp().use('/admin'),
);

class Logger {
  use(_ctx: Context, next: Next) {
    return next();
  }
}

mistake(
  'an instance as middleware: `app.use(new Logger())`',
  { compiler: 'provides no match for the signature', startup: 'Logger' },
  () => createApp().use(new Logger()),
);

mistake(
  'a class as middleware: `app.use(Logger)`',
  { compiler: 'provides no match for the signature', startup: 'Logger' },
  () =>
    createApp()
      .use(Logger)
      .get('/', () => 1),
);

mistake('`app.use(logger.use)`, which loses `this`', { request: 'names' }, () => {
  class Names {
    readonly names = ['Ada'];
    use(ctx: Context, next: Next) {
      ctx.state.names = this.names;
      return next();
    }
  }
  return serveBehind(new Names().use);
});

mistake('middleware that swallows errors', { request: 'sent no response' }, () =>
  createApp()
    .use(async (_ctx, next) => {
      try {
        await next();
      } catch {}
    })
    .get('/', () => Promise.reject(new Error('no database'))),
);

mistake('an error handler that fails', { request: 'no log' }, () =>
  createApp()
    .use(
      errorHandler({
        onError: () => {
          throw new Error('no log');
        },
      }),
    )
    .get('/', () => Promise.reject(new Error('no database'))),
);

mistake(
  '`router.use(middleware)` of a router without the requested route',
  { warning: 'has middleware, but no route' },
  () =>
    createApp()
      .route(
        '/',
        createRouter().use(() => Promise.reject(new Error('denied'))),
      )
      .get('/', () => 1),
);

mistake(
  '`@UseMiddleware` of a function with the parameters of Express',
  { compiler: 'TS2345', startup: 'connect(old)' },
  () => {
    const old = (_req: unknown, _res: unknown, next: () => unknown) => next();
    @Controller()
    class Users {
      @Get()
      @UseMiddleware(old)
      list() {
        return [];
      }
    }
    return serveControllers([Users]);
  },
);
