import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createApp,
  createRouter,
  json,
  type RouteOptions,
  type StandardSchema,
  urlencoded,
} from '../src/index.js';

const filters: readonly (readonly [string, StandardSchema])[] = [
  [
    'zod',
    z.object({
      page: z.number().optional(),
      size: z.coerce.number().optional(),
      on: z.boolean().optional(),
      since: z.coerce.date().optional(),
      own: z.custom().optional(),
      tags: z.array(z.string()).optional(),
      ids: z.array(z.int()).optional(),
      either: z.union([z.number(), z.literal('all'), z.array(z.string())]).optional(),
      filter: z
        .object({ name: z.string().optional(), ids: z.array(z.number()).optional() })
        .optional(),
      labels: z.record(z.string(), z.number()).optional(),
      'sort[by]': z.string().optional(),
    }),
  ],
  [
    'valibot',
    v.object({
      page: v.optional(v.number()),
      size: v.optional(v.pipe(v.string(), v.toNumber())),
      on: v.optional(v.boolean()),
      since: v.optional(v.pipe(v.string(), v.toDate())),
      own: v.optional(v.custom(() => true)),
      tags: v.optional(v.array(v.string())),
      ids: v.optional(v.array(v.pipe(v.number(), v.integer()))),
      either: v.optional(v.union([v.number(), v.literal('all'), v.array(v.string())])),
      filter: v.optional(
        v.object({ name: v.optional(v.string()), ids: v.optional(v.array(v.number())) }),
      ),
      labels: v.optional(v.record(v.string(), v.number())),
      'sort[by]': v.optional(v.string()),
    }),
  ],
  [
    'arktype',
    type({
      'page?': 'number',
      'size?': 'string.numeric.parse',
      'on?': 'boolean',
      'since?': 'string.date.parse',
      'own?': type('unknown').narrow(() => true),
      'tags?': 'string[]',
      'ids?': 'number.integer[]',
      'either?': "number | 'all' | string[]",
      'filter?': { 'name?': 'string', 'ids?': 'number[]' },
      'labels?': 'Record<string, number>',
      'sort[by]?': 'string',
    }),
  ],
];

const rows: readonly (readonly [string, unknown])[] = [
  ['page=2&size=3&on=false', { page: 2, size: 3, on: false }],
  ['page=1.5e3', { page: 1500 }],
  ['page=1&page=2', { page: 1 }],
  ['page=abc', 400],
  ['page=', 400],
  ['page=0x10', 400],
  ['page=1e999', 400],
  ['on=yes', 400],
  ['since=2024-01-02T03:04:05.678Z&tags=a', { since: '2024-01-02T03:04:05.678Z', tags: ['a'] }],
  ['own=1&tags=a&tags=b', { own: '1', tags: ['a', 'b'] }],
  ['tags=1', { tags: ['1'] }],
  ['ids=1&ids=2', { ids: [1, 2] }],
  ['ids=1&ids=b', 400],
  ['either=all', { either: 'all' }],
  ['either=7', { either: 7 }],
  ['either=x', { either: ['x'] }],
  ['either=7&either=8', { either: ['7', '8'] }],
  ['filter[name]=Ada&filter[ids]=1', { filter: { name: 'Ada', ids: [1] } }],
  ['filter%5Bids%5D=1&filter%5Bids%5D=2', { filter: { ids: [1, 2] } }],
  ['filter[name]=1', { filter: { name: '1' } }],
  ['filter=x', 400],
  ['filter=x&filter[name]=a', 400],
  ['labels[a]=1&labels[b[]]=2', { labels: { a: 1, 'b[]': 2 } }],
  ['labels[a]=x', 400],
  ['sort[by]=name', { 'sort[by]': 'name' }],
  ['', {}],
];

const respond = ({ query }: { readonly query: unknown }) => ({ query });

describe.each(filters)('with %s', (_, schema) => {
  const routes = createRouter().define('/', ({ get, post }) => ({
    search: get('/', { query: schema }, respond),
    form: post('/', { body: schema }, ({ body }: { body: unknown }) => ({ query: body })),
  }));
  const app = createApp().use(json(), urlencoded()).route('/', routes);

  it.each(rows)('a query has the values that the schema describes: %s', async (query, expected) => {
    const response = await app.request(`/?${query}`);
    const body = (await response.json()) as { readonly query: unknown };
    expect(response.ok ? body.query : response.status).toEqual(expected);
  });

  it.each(rows.filter(([query]) => query !== 'page=1&page=2'))(
    'a form has the same values: %s',
    async (body, expected) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
      const response = await app.request('/', { method: 'POST', body: `x=1&${body}`, headers });
      const sent = (await response.json()) as { readonly query?: Record<string, unknown> };
      const { x: _, ...values } = sent.query ?? {};
      expect(response.ok ? values : response.status).toEqual(expected);
    },
  );

  it('JSON stays as it is', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const send = (body: unknown) =>
      app.request('/', { method: 'POST', body: JSON.stringify(body), headers });
    expect(await (await send({ page: 1, tags: ['a'] })).json()).toMatchObject({
      query: { page: 1 },
    });
    const statuses = [{ page: '1' }, { tags: 'a' }].map(async (body) => (await send(body)).status);
    expect(await Promise.all(statuses)).toEqual([400, 400]);
  });
});

/** Responds with the inputs of a request to a route with schemas. */
async function inputsOf(options: RouteOptions, path: string, headers: Record<string, string> = {}) {
  const app = createApp().get('/:id/:other', options, (ctx) => {
    const { params, query } = ctx;
    return { params, query, header: Reflect.get(ctx.headers, 'x-list') };
  });
  const response = await app.request(path, { headers });
  return response.ok ? response.json() : response.status;
}

it.each<[string, unknown, StandardSchema, StandardSchema]>([
  ['1', 1, z.number(), z.coerce.number()],
  ['-1.5', -1.5, z.number(), z.coerce.number()],
  ['1e3', 1000, z.number(), z.coerce.number()],
  ['true', true, z.boolean(), z.coerce.boolean()],
  ['false', false, z.boolean(), z.coerce.boolean()],
])('%s means %s, whether or not the schema converts text', async (text, value, one, other) => {
  for (const member of [one, other]) {
    const query = z.object({ a: member as z.ZodType, b: z.array(member as z.ZodType) });
    const received = await inputsOf({ query }, `/1/2?a=${text}&b=${text}`);
    expect(received).toMatchObject({ query: { a: value, b: [value] } });
  }
});

describe('lists and objects', () => {
  it.each<[string, StandardSchema, string, unknown]>([
    [
      'in unions of objects',
      z.discriminatedUnion('by', [
        z.object({ by: z.literal('tag'), tags: z.array(z.string()) }),
        z.object({ by: z.literal('id'), ids: z.array(z.number()), tags: z.string().optional() }),
      ]),
      'by=id&ids=1',
      { by: 'id', ids: [1] },
    ],
    [
      'in records',
      z.record(z.string(), z.array(z.string())),
      'a=1&b=2&b=3',
      { a: ['1'], b: ['2', '3'] },
    ],
    [
      'in records of objects',
      z.record(z.string(), z.object({ n: z.number() })),
      'a[n]=1',
      { a: { n: 1 } },
    ],
    [
      'in catchall',
      z.object({ a: z.string() }).catchall(z.array(z.number())),
      'a=1&b=2',
      { a: '1', b: [2] },
    ],
    [
      'in intersections',
      z.object({ a: z.array(z.string()) }).and(z.object({ b: z.number() })),
      'a=1&b=2',
      { a: ['1'], b: 2 },
    ],
    ['in lazy schemas', z.lazy(() => z.object({ a: z.array(z.string()) })), 'a=1', { a: ['1'] }],
    [
      'of tuples',
      z.object({ at: z.tuple([z.number(), z.string()]) }),
      'at=1&at=2',
      { at: [1, '2'] },
    ],
    [
      'before a function',
      z.preprocess((value) => value, z.object({ a: z.array(z.string()) })),
      'a=1',
      { a: ['1'] },
    ],
    ['with a default', z.object({ a: z.array(z.string()).default(['x']) }), '', { a: ['x'] }],
    [
      'that text may replace',
      z.object({ a: z.string().or(z.array(z.string())) }),
      'a=1',
      { a: '1' },
    ],
  ])('arrive %s', async (_, query, search, expected) => {
    expect(await inputsOf({ query }, `/1/2?${search}`)).toMatchObject({ query: expected });
  });

  it('have no prototype that a name reaches', async () => {
    const schema = z
      .looseObject({ filter: z.record(z.string(), z.string()) })
      .transform((value) => ({ keys: Object.keys(value), isPlain: !('polluted' in value) }));
    const search =
      'filter[__proto__]=1&__proto__[polluted]=1&__proto__=2&constructor[prototype][polluted]=1';
    const app = createApp().get('/', { query: schema }, ({ query }) => query);
    const response = await app.request(`/?${search}`);
    expect(await response.json()).toMatchObject({
      keys: expect.arrayContaining(['filter']),
      isPlain: true,
    });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('in headers and parameters have commas between their elements', async () => {
    const options = {
      params: z.object({ id: z.number(), other: z.array(z.number()) }),
      headers: z.looseObject({ 'x-list': z.array(z.string()), 'x-count': z.number() }),
    };
    const headers = { 'X-List': 'a, b,c', 'X-Count': '3' };
    expect(await inputsOf(options, '/7/1,2', headers)).toMatchObject({
      params: { id: 7, other: [1, 2] },
      header: ['a', 'b', 'c'],
    });
    expect(await inputsOf(options, '/x/1', headers)).toBe(400);
  });

  it('stay flat without a schema', async () => {
    expect(await inputsOf({}, '/1/2?filter[name]=a&n=1&n=2')).toMatchObject({
      query: { 'filter[name]': 'a', n: '1' },
    });
  });

  it('take time in proportion to their number', async () => {
    const schema = z.object({ a: z.array(z.string()), b: z.record(z.string(), z.string()) });
    const app = createApp()
      .use(urlencoded({ maxFields: 40_000 }))
      .post('/', { body: schema }, ({ body }) => [body.a.length, Object.keys(body.b).length]);
    const fields = Array.from({ length: 20_000 }, (_, index) => `a=${index}&b[${index}]=1`);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await app.request('/', { method: 'POST', body: fields.join('&'), headers });
    expect(await response.json()).toEqual([20_000, 20_000]);
  });
});
