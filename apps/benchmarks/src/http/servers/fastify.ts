import fastify, { type FastifyInstance, type RouteShorthandOptions } from 'fastify';
import type { z } from 'zod';
import * as fixtures from '../fixtures.js';

declare module 'fastify' {
  interface FastifyRequest {
    hops?: unknown;
  }
}

const items = new fixtures.Items();

function guard(app: FastifyInstance): FastifyInstance {
  return app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.authorization === fixtures.AUTHORIZATION) done();
    else reply.code(403).send({ error: 'Access denied' });
  });
}

/** Creates the starter of each workload, with response schemas by workload. */
export function starters(schemas: Readonly<Record<string, object>>) {
  const serve = (app: FastifyInstance) => app.listen({ port: 0, host: '127.0.0.1' });
  const responseOf = (workload: string): { response?: object } => {
    const schema = schemas[workload];
    return schema === undefined ? {} : { response: { 200: schema } };
  };
  const options = (workload: string): RouteShorthandOptions => {
    return workload in schemas ? { schema: responseOf(workload) } : {};
  };
  return {
    plaintext: () => serve(fastify().get('/', (_request, reply) => reply.send(fixtures.HELLO))),
    json: () =>
      serve(fastify().get('/', options('json'), async () => ({ message: fixtures.HELLO }))),
    param: () => {
      const app = fastify().get('/', async () => ({}));
      for (const name of fixtures.RESOURCES) {
        for (const [method, path] of fixtures.RESOURCE_ROUTES) {
          app[method]<{ Params: { id: string } }>(
            `/${name}${path}`,
            options('param'),
            async (request) => ({ id: request.params.id }),
          );
        }
      }
      return serve(app);
    },
    post: () => serve(fastify().post('/orders', async (request) => request.body)),
    'async-10': () => {
      const app = fastify().decorateRequest('hops', undefined);
      for (const _ of Array(10))
        app.addHook('onRequest', async (request) => fixtures.countHop(request));
      return serve(app.get('/', async (request) => ({ hops: request.hops })));
    },
    'sync-10': () => {
      const app = fastify().decorateRequest('hops', undefined);
      for (const _ of Array(10)) {
        app.addHook('onRequest', (request, _reply, done) => {
          fixtures.countHop(request);
          done();
        });
      }
      return serve(app.get('/', async (request) => ({ hops: request.hops })));
    },
    page: () =>
      serve(
        fastify().get<{ Querystring: { page: string; limit: string } }>(
          '/users',
          options('page'),
          async ({ query }) => fixtures.pageOfUsers(query.page, query.limit),
        ),
      ),
    'class-get': () =>
      serve(
        guard(fastify()).get<{ Params: { id: string } }>(
          '/items/:id',
          options('class-get'),
          async (request) => items.find(request.params.id),
        ),
      ),
    'class-post': () =>
      serve(
        guard(fastify()).post<{ Body: { name: string } }>('/items', async (request) =>
          items.create(request.body),
        ),
      ),
    'valid-get': () => {
      const schema = { querystring: fixtures.SEARCH_SCHEMA, ...responseOf('valid-get') };
      return serve(
        fastify().get<{ Querystring: z.infer<typeof fixtures.Search> }>(
          '/search',
          { schema },
          async ({ query }) => fixtures.search(query),
        ),
      );
    },
    'valid-post': () => {
      const schema = { body: fixtures.ORDER_SCHEMA, ...responseOf('valid-post') };
      return serve(fastify().post('/orders', { schema }, async (request) => request.body));
    },
  };
}

export const start = starters({});
