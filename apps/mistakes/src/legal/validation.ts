import { Body, Controller, Get, Param, Post, Query } from '@fairlead/controllers';
import { createApp, createRouter, json, type StandardSchema, urlencoded } from '@fairlead/core';
import { openapi } from '@fairlead/openapi';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { serveControllers } from '../applications.js';
import { post } from '../mistake.js';
import { legal } from './program.js';

legal(
  'a schema of arktype, which is a function',
  '200 {"name":"ada"}',
  () =>
    createApp()
      .use(json())
      .post('/', { body: type({ name: 'string' }) }, ({ body }) => body),
  post('/', { name: 'ada' }),
);

legal(
  'a schema of valibot without JSON Schema',
  '200 {"name":"ada"}',
  () =>
    createApp()
      .use(json())
      .post('/', { body: v.object({ name: v.string() }) }, ({ body }) => body),
  post('/', { name: 'ada' }),
);

legal(
  'schemas of three validators on one route',
  '200 ["1","a","b"]',
  () =>
    createApp()
      .use(json())
      .post(
        '/:id',
        {
          params: z.object({ id: z.string() }),
          query: v.object({ tag: v.string() }),
          body: type({ name: 'string' }),
        },
        ({ params, query, body }) => [params.id, query.tag, body.name],
      ),
  post('/1?tag=a', { name: 'b' }),
);

legal(
  'a schema of your own that is a class with static members',
  '200 4',
  () => {
    // biome-ignore lint/complexity/noStaticOnlyClass: some libraries create such schemas.
    class Doubled {
      static readonly '~standard': StandardSchema<unknown, { n: number }>['~standard'] = {
        version: 1,
        vendor: 'own',
        validate: async (value) => ({ value: { n: Number(Object(value).n) * 2 } }),
      };
    }
    return createApp().get('/', { query: Doubled }, ({ query }) => query.n);
  },
  '/?n=2',
);

legal(
  'a recursive schema',
  '200 1',
  () => {
    const Node = z.object({
      name: z.string(),
      get children() {
        return z.array(Node);
      },
    });
    return createApp()
      .use(json())
      .post('/', { body: Node }, ({ body }) => body.children.length);
  },
  post('/', { name: 'a', children: [{ name: 'b', children: [] }] }),
);

legal('a schema that accepts anything, and one that accepts nothing', '200 "hello"', () =>
  createApp()
    .use(json())
    .post('/never', { body: z.never() }, () => 'never')
    .get('/', { query: z.any() }, () => 'hello'),
);

legal(
  'a schema that accepts an absent body',
  '200 "none"',
  () =>
    createApp()
      .use(json())
      .post('/', { body: z.object({ a: z.number() }).optional() }, ({ body }) => body ?? 'none'),
  ['/', { method: 'POST' }],
);

legal(
  'a body on DELETE',
  '200 [1,2]',
  () =>
    createApp()
      .use(json())
      .delete('/', { body: z.object({ ids: z.array(z.number()) }) }, ({ body }) => body.ids),
  [
    '/',
    { method: 'DELETE', headers: { 'Content-Type': 'application/json' }, body: '{"ids":[1,2]}' },
  ],
);

legal(
  'a schema that renames and computes members',
  '200 {"full":"Ada L"}',
  () =>
    createApp()
      .use(json())
      .post(
        '/',
        {
          body: z
            .object({ first: z.string(), last: z.string() })
            .transform((name) => ({ full: `${name.first} ${name.last}` })),
        },
        ({ body }) => body,
      ),
  post('/', { first: 'Ada', last: 'L' }),
);

legal(
  'a query with an array and with a preprocessed number',
  '200 [["a"],3]',
  () =>
    createApp().get(
      '/',
      { query: z.object({ tag: z.array(z.string()), n: z.preprocess(Number, z.number()) }) },
      ({ query }) => [query.tag, query.n],
    ),
  '/?tag=a&n=3',
);

legal(
  'numbers, booleans, lists and an object in a query',
  '200 {"page":2,"on":true,"ids":[1],"filter":{"name":"7"}}',
  () =>
    createApp().get(
      '/',
      {
        query: z.object({
          page: z.number(),
          on: z.boolean(),
          ids: z.array(z.number()),
          filter: z.object({ name: z.string() }),
        }),
      },
      ({ query }) => query,
    ),
  '/?page=2&on=true&ids=1&filter[name]=7',
);

legal(
  'a list of objects that the schema parses from one text',
  '200 {"rows":[{"id":"1"}]}',
  () =>
    createApp().get(
      '/',
      {
        query: z.object({
          rows: z
            .string()
            .transform((text): unknown => JSON.parse(text))
            .pipe(z.array(z.object({ id: z.string() }))),
        }),
      },
      ({ query }) => query,
    ),
  '/?rows=[{"id":"1"}]',
);

legal(
  'a list for one query parameter of a class',
  '200 ["a"]',
  () => {
    @Controller()
    class Users {
      @Get()
      list(@Query('tags', { schema: z.array(z.string()) }) tags: string[]) {
        return tags;
      }
    }
    return serveControllers([Users]);
  },
  '/?tags=a',
);

legal('headers that a schema selects and converts', '200 2', () =>
  createApp().get(
    '/',
    { headers: z.object({ 'x-version': z.coerce.number().default(2) }) },
    ({ headers }) => headers['x-version'],
  ),
);

legal(
  'a form and JSON on one route',
  '200 {"name":"ada"}',
  () =>
    createApp()
      .use(json(), urlencoded())
      .post('/', { body: z.object({ name: z.string() }) }, ({ body }) => body),
  ['/', { method: 'POST', body: new URLSearchParams({ name: 'ada' }) }],
);

legal(
  'a parser of your own, registered on the router',
  '200 ["a","b"]',
  () => {
    const router = createRouter()
      .use(async (ctx, next) => {
        const chunks: Buffer[] = [];
        for await (const chunk of ctx.bodyStream()) chunks.push(chunk as Buffer);
        ctx.body = Buffer.concat(chunks).toString().split(',');
        await next();
      })
      .post('/', { body: z.array(z.string()) }, ({ body }) => body);
    return createApp().route('/', router);
  },
  ['/', { method: 'POST', body: 'a,b' }],
);

legal('responses by status, one of them with an empty body', '204', () =>
  createApp().get(
    '/',
    { status: 204, response: { 200: z.string(), 204: z.undefined() } },
    () => undefined,
  ),
);

legal('a union as the response', '200 {"kind":"a"}', () =>
  createApp().get(
    '/',
    {
      response: z.union([
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b'), n: z.number() }),
      ]),
    },
    () => ({ kind: 'a' as const }),
  ),
);

legal('a response schema that only the document reads', '200 [1]', async () => {
  const app = createApp();
  await app.plugin(openapi({ info: { title: 'API', version: '1' }, docs: false }));
  return app.get('/', { response: { type: 'array', items: { type: 'integer' } } }, () => [1]);
});

legal(
  'parameters with transforms of every kind',
  '200 [7,["a"],true]',
  () => {
    @Controller()
    class Lists {
      @Get('/:id')
      read(
        @Param('id', { transform: Number }) id: number,
        @Query('tag', { all: true }) tags: string[],
        @Query('on', { transform: async (text) => text === 'yes' }) on: boolean,
      ) {
        return [id, tags, on];
      }
    }
    return serveControllers([Lists]);
  },
  '/7?tag=a&on=yes',
);

legal(
  'the same parameter twice, in two forms',
  '200 ["7",7]',
  () => {
    @Controller()
    class Lists {
      @Get('/:id')
      read(@Param('id') text: string, @Param('id', { transform: Number }) number: number) {
        return [text, number];
      }
    }
    return serveControllers([Lists]);
  },
  '/7',
);

legal(
  'a parameter that only one pattern of the method has',
  '200 null',
  () => {
    @Controller('/lists')
    class Lists {
      @Get('/')
      @Get('/:id')
      read(@Param('id', { required: false }) id?: string) {
        return id ?? null;
      }
    }
    return serveControllers([Lists]);
  },
  '/lists',
);

legal(
  'parameters that the method declares and does not read',
  '200 "ok"',
  () => {
    @Controller()
    class Lists {
      @Post('/:id')
      create(@Param('id') _id: string, @Body() _body: unknown, @Query() _query: object) {
        return 'ok';
      }
    }
    return serveControllers([Lists]);
  },
  post('/1', {}),
);
