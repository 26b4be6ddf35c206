import { type ControllerValue, controllersPlugin, defineController } from '@fairlead/controllers';
import {
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  notFoundHandler,
  type Server,
} from '@fairlead/core';
import { Service } from '@fairlead/di';
import * as fixtures from '../fixtures.js';

async function serve(...controllers: readonly ControllerValue[]): Promise<Server> {
  const router = createRouter();
  const app = createApp().use(errorHandler(), json());
  await app.plugin(controllersPlugin({ router, controllers, strict: true }));
  return listen(app.route('/', router).use(notFoundHandler()), 0, { host: '127.0.0.1' });
}

const message = defineController('/', {
  routes: ({ get }) => ({
    message: get('/', { response: fixtures.MESSAGE_SCHEMA }, () => ({ message: fixtures.HELLO })),
  }),
});

const root = defineController('/', { routes: ({ get }) => ({ root: get('/', () => ({})) }) });

const createResource = (name: string) =>
  defineController(`/${name}`, {
    routes: ({ get, post, put, delete: remove }) => ({
      list: get('/', () => ({})),
      create: post('/', () => ({})),
      find: get('/:id', { response: fixtures.ID_SCHEMA }, ({ params }) => ({ id: params.id })),
      replace: put('/:id', ({ params }) => ({ id: params.id })),
      remove: remove('/:id', ({ params }) => ({ id: params.id })),
      history: get('/:id/history', ({ params }) => ({ id: params.id })),
      version: get('/:id/history/:version', ({ params }) => ({
        id: params.id,
        version: params.version,
      })),
    }),
  });

@Service()
class ItemsService extends fixtures.Items {}

const items = defineController('/items', {
  inject: { items: ItemsService },
  guards: [(ctx) => ctx.get('authorization') === fixtures.AUTHORIZATION],
  routes: ({ get, post }) => ({
    find: get('/:id', { response: fixtures.ITEM_SCHEMA }, ({ params }, { items }) =>
      items.find(params.id),
    ),
    create: post('/', { status: 200 }, ({ body }, { items }) =>
      items.create(body as { name: string }),
    ),
  }),
});

export const start = {
  json: () => serve(message),
  param: () => serve(root, ...fixtures.RESOURCES.map(createResource)),
  'class-get': () => serve(items),
  'class-post': () => serve(items),
};
