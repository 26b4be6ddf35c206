import {
  type ApplicationOptions,
  createRouter,
  type Middleware,
  type Router,
} from '@fairlead/core';
import * as fixtures from '../fixtures.js';
import { start as engine, guard, items, serveHops, serve as serveWith } from './engine.js';

const hopSync: Middleware = (ctx, next) => {
  fixtures.countHop(ctx.state);
  return next();
};

/**
 * Creates the starter of each workload.
 *
 * @param options - The compiler for response schemas. Without it they are not applied.
 */
export const starters = (options: Pick<ApplicationOptions, 'compileResponse'> = {}) => {
  const serve = (router: Router) => serveWith(router, [], undefined, options);
  return {
    plaintext: engine.plaintext,
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
    post: engine.post,
    'async-10': engine['async-10'],
    'sync-10': () => serveHops(Array<Middleware>(10).fill(hopSync)),
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
    'class-post': engine['class-post'],
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
