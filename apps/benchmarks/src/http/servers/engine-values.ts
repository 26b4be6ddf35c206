import type * as Controllers from '@fairlead/controllers';
import type * as Core from '@fairlead/core';
import type * as Di from '@fairlead/di';
import { loadPackage } from '../../engine/load.js';
import * as fixtures from '../fixtures.js';
import { serve } from './engine.js';

const { createRouter } = await loadPackage<typeof Core>('core');
const { Service } = await loadPackage<typeof Di>('di');
const { controllersPlugin, defineController } =
  await loadPackage<typeof Controllers>('controllers');

/** Listens as {@link serve} does, with the routes of controllers. */
function serveValues(...controllers: readonly Controllers.ControllerValue[]): Promise<Core.Server> {
  const router = createRouter();
  return serve(router, [], controllersPlugin({ router, controllers, strict: true }));
}

const isAuthorized: Controllers.GuardFn = (ctx) =>
  ctx.get('authorization') === fixtures.AUTHORIZATION;

@Service()
class ItemsService extends fixtures.Items {}

const root = defineController('', { routes: ({ get }) => ({ root: get('/', () => ({})) }) });

const createResource = (name: string) =>
  defineController(`/${name}`, {
    routes: ({ get, post, put, delete: remove }) => ({
      list: get('/', () => ({})),
      create: post('/', () => ({})),
      find: get('/:id', (ctx) => ({ id: ctx.params.id })),
      replace: put('/:id', (ctx) => ({ id: ctx.params.id })),
      remove: remove('/:id', (ctx) => ({ id: ctx.params.id })),
      history: get('/:id/history', (ctx) => ({ id: ctx.params.id })),
      version: get('/:id/history/:version', ({ params }) => ({
        id: params.id,
        version: params.version,
      })),
    }),
  });

const items = defineController('/items', {
  inject: { items: ItemsService },
  guards: [isAuthorized],
  routes: ({ get }) => ({
    find: get('/:id', (ctx, { items }) => items.find(ctx.params.id)),
  }),
});

const orders = defineController('/orders', {
  guards: [isAuthorized],
  routes: ({ post }) => ({
    echo: post('/', { body: fixtures.Order, status: 200 }, ({ body }) => body),
  }),
});

export const start = {
  param: () => serveValues(root, ...fixtures.RESOURCES.map(createResource)),
  'class-get': () => serveValues(items),
  'guarded-valid-post': () => serveValues(orders),
};
