import 'reflect-metadata';
import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  controllersPlugin,
  defineController,
  Get,
  Param,
  Post,
} from '@fairlead/controllers';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  intended,
  json,
  type Middleware,
  NotFoundError,
  type StandardSchema,
  text,
  urlencoded,
} from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import { createVersions } from '@fairlead/core/versions';
import { createContainer } from '@fairlead/di';
import * as v from 'valibot';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { call, connect, serve } from './support/serve.js';

const User = z.object({ id: z.string(), name: z.string() }).meta({ id: 'User' });

const open = { tool: true, public: 'Everyone may call it.' };

function createUsers() {
  const users = createRouter()
    .get(
      '/:id',
      { summary: 'Find a user', response: User, ...open, operationId: 'findUser' },
      ({ params: { id } }) => {
        if (id === '404') throw new NotFoundError(`User ${id} not found`);
        return { id, name: 'Ada' };
      },
    )
    .post(
      '/',
      {
        operationId: 'addUser',
        body: z.object({ name: z.string().min(2), tags: z.array(z.string()).optional() }),
        response: { 201: User },
        tool: { description: 'Adds a user.' },
        public: open.public,
      },
      ({ body }) => ({ id: '1', name: body.name }),
    )
    .get(
      '/',
      {
        operationId: 'listUsers',
        query: z.object({ page: z.coerce.number().int(), tag: z.array(z.string()).default([]) }),
        response: z.array(User),
        ...open,
      },
      ({ query }) => [{ id: String(query.page), name: query.tag.join() }],
    )
    .delete('/:id', { operationId: 'deleteUser', status: 204, ...open }, () => undefined);
  return createApp().use(errorHandler(), json()).route('/users', users);
}

it.each([
  ['of 2026', { pin: '2026-07-28' }],
  ['of 2025', 'legacy' as const],
])('lists and calls tools for clients %s', async (_, mode) => {
  const server = await serve(createUsers(), { instructions: 'Find users first.' });
  const client = await connect(server, {}, mode);
  expect(client.getServerVersion()).toEqual({ name: 'users', version: '1.2.3' });
  expect(client.getInstructions()).toBe('Find users first.');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['findUser', 'addUser', 'listUsers', 'deleteUser']);

  const found = await client.callTool({ name: 'findUser', arguments: { id: '7' } });
  expect(found.structuredContent).toEqual({ id: '7', name: 'Ada' });
  expect(found.content).toEqual([{ type: 'text', text: '{"id":"7","name":"Ada"}' }]);
  const added = await client.callTool({ name: 'addUser', arguments: { name: 'Bob' } });
  expect(added.structuredContent).toEqual({ id: '1', name: 'Bob' });
  const listed = await client.callTool({
    name: 'listUsers',
    arguments: { page: 3, tag: ['a', 'b'] },
  });
  expect(JSON.stringify(listed.structuredContent)).toContain('[{"id":"3","name":"a,b"}]');
  expect(await call(client, 'deleteUser', { id: '7' })).toEqual({
    text: '204 No Content',
    isError: false,
  });
});

it('describes tools by the schemas and the documentation of their routes', async () => {
  const client = await connect(await serve(createUsers()));
  const { tools } = await client.listTools();
  expect(tools[0]).toEqual({
    name: 'findUser',
    title: 'Find a user',
    description: 'Find a user',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      required: ['id', 'name'],
    },
    annotations: { readOnlyHint: true },
  });
  expect(tools[1]).toMatchObject({
    description: 'Adds a user.',
    inputSchema: {
      properties: {
        name: { type: 'string', minLength: 2 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['name'],
    },
    annotations: { idempotentHint: false },
  });
  expect(tools[2]?.outputSchema).toMatchObject({
    type: 'array',
    items: { $ref: '#/$defs/User' },
    $defs: { User: { type: 'object' } },
  });
  expect(tools[3]?.annotations).toEqual({ destructiveHint: true, idempotentHint: true });
});

it('a validation failure is a result with the issues', async () => {
  const client = await connect(await serve(createUsers()));
  const { text, isError } = await call(client, 'addUser', { name: 'B' });
  expect(isError).toBe(true);
  expect(text).toContain('400 Bad Request');
  expect(text).toContain('"path":["body","name"]');
});

it('an error of the route is a result with its problem', async () => {
  const client = await connect(await serve(createUsers()));
  const { text, isError } = await call(client, 'findUser', { id: '404' });
  expect(isError).toBe(true);
  expect(text).toContain('404 Not Found');
  expect(text).toContain('User 404 not found');
});

it('an unknown tool is an error of the protocol', async () => {
  const client = await connect(await serve(createUsers()));
  await expect(client.callTool({ name: 'dropUsers' })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining("Unknown tool: 'dropUsers'"),
  });
});

it('names that several parts of a request share get their source as a prefix', async () => {
  const app = createApp()
    .use(json())
    .put(
      '/items/:id',
      {
        operationId: 'replace',
        query: z.object({ id: z.string().optional(), 'filter[name]': z.string().optional() }),
        body: z.object({ id: z.string(), body_id: z.string() }),
        ...open,
      },
      ({ params, query, body }) => ({ params, query, body }),
    );
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  const names = ['id', 'query_id', 'filter_name_', 'body_id', 'body_body_id'];
  expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(names);
  const args = Object.fromEntries(names.map((name) => [name, `my ${name}`]));
  const { text } = await call(client, 'replace', args);
  expect(JSON.parse(text)).toEqual({
    params: { id: 'my id' },
    query: { id: 'my query_id', 'filter[name]': 'my filter_name_' },
    body: { id: 'my body_id', body_id: 'my body_body_id' },
  });
});

it('a body that is more than its members is one argument', async () => {
  const Shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), radius: z.number() }),
    z.object({ kind: z.literal('square'), side: z.number() }),
  ]);
  const app = createApp()
    .use(json())
    .post('/shapes', { operationId: 'draw', body: Shape, ...open }, ({ body }) => body)
    .post('/lists', { operationId: 'sum', body: z.array(z.number()), ...open }, ({ body }) => ({
      sum: body.reduce((one, other) => one + other, 0),
    }))
    .post(
      '/notes',
      { operationId: 'note', body: z.object({ text: z.string() }).optional(), ...open },
      ({ body }) => body ?? 'nothing',
    );
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))).toEqual([
    ['body'],
    ['body'],
    ['text'],
  ]);
  const square = { kind: 'square', side: 2 };
  expect(await call(client, 'draw', { body: square })).toEqual({
    text: JSON.stringify(square),
    isError: false,
  });
  expect((await call(client, 'sum', { body: [1, 2] })).text).toBe('{"sum":3}');
  expect((await call(client, 'note')).text).toBe('"nothing"');
});

it('sends forms and text to routes that only read these', async () => {
  const app = createApp()
    .post(
      '/form',
      {
        operationId: 'form',
        body: z.object({ name: z.string(), tags: z.array(z.string()) }),
        ...open,
      },
      urlencoded(),
      ({ body }) => body,
    )
    .post('/text', { operationId: 'text', body: z.string(), ...open }, text(), ({ body }) => body);
  const client = await connect(await serve(app));
  const form = { name: 'Ada & Bob', tags: ['a', 'b'] };
  expect(JSON.parse((await call(client, 'form', form)).text)).toEqual(form);
  expect((await call(client, 'text', { body: 'häl\nlo' })).text).toBe('"häl\\nlo"');
});

it('text, images, sounds and other bytes become content', async () => {
  const bytes = new Uint8Array([1, 2, 255]);
  const send = (type: string, body: string | Uint8Array) => (ctx: Context) => {
    ctx.set('Content-Type', type);
    ctx.send(body);
  };
  const app = createApp()
    .get('/csv', { operationId: 'csv', ...open }, send('text/csv', 'a,b'))
    .get('/png', { operationId: 'png', ...open }, send('image/png', bytes))
    .get('/wav', { operationId: 'wav', ...open }, send('audio/wav', bytes))
    .get('/zip/:id', { operationId: 'zip', ...open }, send('application/zip', bytes))
    .get('/moved', { operationId: 'moved', ...open }, (ctx) => ctx.redirect('/csv'));
  const client = await connect(await serve(app));
  const contentOf = async (name: string, args = {}) =>
    (await client.callTool({ name, arguments: args })).content;
  const data = Buffer.from(bytes).toString('base64');
  expect(await contentOf('csv')).toEqual([{ type: 'text', text: 'a,b' }]);
  expect(await contentOf('png')).toEqual([{ type: 'image', data, mimeType: 'image/png' }]);
  expect(await contentOf('wav')).toEqual([{ type: 'audio', data, mimeType: 'audio/wav' }]);
  const uri = 'http://localhost/zip/a%20b';
  expect(await contentOf('zip', { id: 'a b' })).toEqual([
    { type: 'resource', resource: { uri, blob: data, mimeType: 'application/zip' } },
  ]);
  expect(await call(client, 'moved')).toEqual({
    text: '302 Found\nLocation: /csv',
    isError: false,
  });
});

it('streams of events and responses past the limit are errors, and end', async () => {
  const ended: string[] = [];
  const endless = (name: string) =>
    async function* () {
      try {
        for (;;) yield `data: ${name}\n\n`;
      } finally {
        ended.push(name);
      }
    };
  const app = createApp()
    .get('/events', { operationId: 'events', ...open }, (ctx) => {
      ctx.set('Content-Type', 'text/event-stream');
      ctx.send(Readable.from(endless('events')()));
    })
    .get('/endless', { operationId: 'endless', ...open }, (ctx) => {
      ctx.send(Readable.from(endless('endless')()));
    });
  const client = await connect(await serve(app, { resultLimit: 100_000 }));
  const events = await call(client, 'events');
  expect(events).toEqual({ text: expect.stringContaining('stream of events'), isError: true });
  const large = await call(client, 'endless');
  expect(large).toEqual({ text: expect.stringContaining('larger than 100000'), isError: true });
  await expect.poll(() => ended).toEqual(['events', 'endless']);
});

it('a response that is not the described JSON is an error', async () => {
  const app = createApp().get('/user', { operationId: 'read', response: User, ...open }, (ctx) =>
    ctx.send('Ada'),
  );
  const client = await connect(await serve(app));
  const result = await call(client, 'read');
  expect(result).toEqual({ text: expect.stringContaining('not the JSON'), isError: true });
});

it('tools of controllers, as classes and as values', async () => {
  @Controller('/notes')
  class NotesController {
    @Get('/:id', {
      operationId: 'findNote',
      tool: { name: 'find_note' },
      public: 'Everyone may call it.',
    })
    find(@Param('id', { schema: z.coerce.number().int() }) id: number) {
      return { id };
    }

    @Post('/', { operationId: 'addNote', status: 201, ...open })
    add(@Body('text', { schema: z.string() }) content: string) {
      return { content };
    }
  }
  const tasks = defineController('/tasks', {
    routes: ({ get }) => ({
      list: get('/', { query: z.object({ q: z.string() }), ...open }, ({ query }) => query),
      secret: get('/secret', () => 'secret'),
    }),
  });
  const router = createRouter();
  const app = createApp().use(errorHandler(), json());
  const controllers = [NotesController, tasks];
  await app.plugin(controllersPlugin({ router, container: createContainer(), controllers }));
  const client = await connect(await serve(app.route('/', router)));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['find_note', 'addNote', 'getTasks']);
  expect((await call(client, 'find_note', { id: 7 })).text).toBe('{"id":7}');
  expect((await call(client, 'find_note', { id: 'x' })).isError).toBe(true);
  expect((await call(client, 'addNote', { text: 'Hi' })).text).toBe('{"content":"Hi"}');
  expect((await call(client, 'getTasks', { q: 'a&b' })).text).toBe('{"q":"a&b"}');
});

it('many calls at once get their own results', async () => {
  const client = await connect(await serve(createUsers()));
  const ids = Array.from({ length: 50 }, (_, index) => `${index}`);
  const results = await Promise.all(ids.map((id) => call(client, 'findUser', { id })));
  expect(results.map(({ text }) => JSON.parse(text).id)).toEqual(ids);
});

it('QUERY routes are tools that only read', async () => {
  const app = createApp()
    .use(json())
    .query('/users', { ...open, body: z.object({ name: z.string() }) }, ({ body }) => body);
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([{ name: 'queryUsers', annotations: { readOnlyHint: true } }]);
  expect((await call(client, 'queryUsers', { name: 'Ada' })).text).toBe('{"name":"Ada"}');
});

it('QUERY routes with parameters are found', async () => {
  const body = z.object({ name: z.string() });
  const app = createApp()
    .use(json())
    .query(
      '/teams/:team/users',
      { tool: { name: 'search' }, public: 'Everyone may call it.', body },
      (ctx) => ({
        team: ctx.params.team,
        ...ctx.body,
      }),
    );
  const client = await connect(await serve(app));
  const { text } = await call(client, 'search', { team: 'red', name: 'Ada' });
  expect(JSON.parse(text)).toEqual({ team: 'red', name: 'Ada' });
});

it('passes everything in the query that the schema of the arguments describes', async () => {
  const query = z.union([
    z.object({
      by: z.literal('filter'),
      filter: z.object({ name: z.string(), ids: z.array(z.number()) }),
    }),
    z.object({ by: z.literal('tags'), tags: z.array(z.string()), page: z.number() }),
  ]);
  const options = { ...open, response: z.any() };
  const app = createApp()
    .use(errorHandler())
    .get('/either', { ...options, operationId: 'either', query }, (ctx) => ctx.query)
    .get(
      '/each/:ids',
      {
        ...options,
        operationId: 'each',
        params: z.object({ ids: z.array(z.number()) }),
        query: query.options[0],
      },
      ({ params, query }) => ({ ...params, ...query }),
    );
  const client = await connect(await serve(app));
  const filter = { by: 'filter', filter: { name: '1', ids: [2] } };
  const tags = { by: 'tags', tags: ['3'], page: 4 };
  for (const one of [filter, tags]) {
    const result = await call(client, 'either', { query: one });
    expect(JSON.parse(result.text)).toEqual(one);
  }
  const each = await call(client, 'each', { ids: [5, 6], ...filter });
  expect(JSON.parse(each.text)).toEqual({ ids: [5, 6], ...filter });
});

it('a route accepts the arguments that its schema demands, and no others', async () => {
  const union = z.union([z.object({ a: z.string() }), z.object({ b: z.array(z.number()) })]);
  const partial = z.union([z.object({ a: z.string() }), z.object({ b: z.string().optional() })]);
  const form = z.object({ a: z.string().optional() });
  const app = createApp()
    .use(errorHandler())
    .get('/u', { operationId: 'union', query: union, ...open }, (ctx) => ctx.query)
    .get('/p', { operationId: 'partial', query: partial, ...open }, (ctx) => ctx.query)
    .post('/f', { operationId: 'form', body: form, ...open }, urlencoded(), (ctx) => ctx.body)
    .query('/q', { operationId: 'search', ...open }, () => ({ found: 1 }))
    .get('/files/*path', { operationId: 'files', ...open }, (ctx) => ctx.params);
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  const required = tools.map(({ name, inputSchema }) => [name, inputSchema.required]);
  expect(Object.fromEntries(required)).toEqual({
    ...{ union: ['query'], files: ['path'] },
    ...{ partial: undefined, form: undefined, search: undefined },
  });
  const text = async (name: string, args = {}) => (await call(client, name, args)).text;
  expect(await text('union', { query: { b: [1] } })).toBe('{"b":[1]}');
  expect(await text('partial')).toBe('{}');
  expect(await text('form')).toBe('{}');
  expect(await text('form', { a: 'b' })).toBe('{"a":"b"}');
  expect(await text('search')).toBe('{"found":1}');
  expect(await text('files', { path: '' })).toBe('{"path":""}');
});

it('offers no tool whose route demands a header, unless the schema is intended', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const headers = z.object({ 'x-tenant': z.string() });
  const token = z.object({ authorization: z.string() });
  const security = [{ name: 'token', scheme: { type: 'http', scheme: 'bearer' } }] as const;
  const app = createApp()
    .get('/a', { headers, ...open, operationId: 'a' }, () => 'a')
    .get('/b', { headers: intended(headers.extend({})), ...open, operationId: 'b' }, () => 'b')
    .get('/c', { headers: headers.partial(), ...open, operationId: 'c' }, () => 'c')
    .get('/d', { headers: token, ...open, operationId: 'd' }, () => 'd')
    .get('/e', { headers: token, security, ...open, operationId: 'e' }, () => 'e');
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['b', 'c', 'e']);
  expect(emitWarning.mock.calls.map(([message]) => String(message).split('\n')[0])).toEqual([
    "The tool 'a' is not offered, because agents cannot send the header 'x-tenant' that GET /a demands. Make it optional, or remove tool from the route. If every client sends it, pass its schema to intended().",
    "The tool 'd' is not offered, because agents cannot send the header 'authorization' that GET /d demands. Make it optional, or remove tool from the route. If every client sends it, pass its schema to intended().",
  ]);
  emitWarning.mockRestore();
});

it('sends a new Idempotency-Key with each call of a route that takes one', async () => {
  const keyed = describe<Middleware>((_ctx, next) => next(), {
    role: 'middleware',
    takes: { 'Idempotency-Key': { required: true } },
  });
  const keyOf = (ctx: Context) => ({ key: ctx.get('Idempotency-Key') ?? 'none' });
  const app = createApp()
    .post('/keyed', { operationId: 'keyed', ...open }, keyed, keyOf)
    .post('/plain', { operationId: 'plain', ...open }, keyOf);
  const client = await connect(await serve(app));
  const keys = [await call(client, 'keyed'), await call(client, 'keyed')];
  expect(new Set(keys.map(({ text }) => text)).size).toBe(2);
  expect(keys[0]?.text).toMatch(/^\{"key":"[\da-f-]{36}"\}$/);
  expect((await call(client, 'plain')).text).toBe('{"key":"none"}');
});

it('describes inputs by the structure of their schemas if these have no JSON Schema', async () => {
  const id = v.object({ id: v.number() });
  const query = v.object({
    n: v.number(),
    tags: v.optional(v.array(v.picklist(['a', 'b'])), []),
    since: v.optional(
      v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
    ),
    any: v.optional(v.custom<string>(() => true)),
  });
  const body = v.strictObject({ name: v.nullable(v.string()), point: v.tuple([v.number()]) });
  const app = createApp()
    .use(errorHandler())
    .post('/a/:id', { operationId: 'a', params: id, query, body, ...open }, (ctx) => ({
      ...ctx.params,
      ...ctx.query,
      ...ctx.body,
    }));
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema).toEqual({
    type: 'object',
    properties: {
      id: { type: 'number' },
      n: { type: 'number' },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
      since: { type: 'string' },
      any: {},
      name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      point: { type: 'array', prefixItems: [{ type: 'number' }], items: false },
    },
    required: ['id', 'n', 'name', 'point'],
    additionalProperties: false,
  });
  const args = { id: 7, n: 1, tags: ['b'], any: 'x', name: null, point: [2] };
  expect(JSON.parse((await call(client, 'a', args)).text)).toEqual(args);
  expect((await call(client, 'a', { ...args, id: 'x' })).isError).toBe(true);
});

it('a query whose schema tells nothing is one argument that allows every value', async () => {
  const query: StandardSchema<unknown, { n: number }> = {
    '~standard': {
      version: 1,
      vendor: 'custom',
      validate: (value) => ({ value: { n: Number(Reflect.get(Object(value), 'n')) } }),
    },
  };
  const app = createApp().get('/', { operationId: 'a', query, ...open }, (ctx) => ctx.query);
  const client = await connect(await serve(app));
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema.properties).toEqual({ query: {} });
  expect((await call(client, 'a', { query: { n: 1 } })).text).toBe('{"n":1}');
});

it.each([{ header: 'X-Api-Version' }, { parameter: 'version' }])(
  'calls the route of the version: %j',
  async (options) => {
    const find = (version: string) =>
      ({ version, tool: { name: `find${version}` }, public: 'Everyone may call it.' }) as const;
    const app = createApp({ versions: createVersions(options) })
      .get('/notes/:id', find('1'), ({ params: { id } }) => `${id} of version 1`)
      .get('/notes/:id', find('2'), ({ params: { id } }) => `${id} of version 2`);
    const client = await connect(await serve(app));
    const results = ['find1', 'find2'].map((name) => call(client, name, { id: '7' }));
    expect(await Promise.all(results)).toEqual([
      { text: '"7 of version 1"', isError: false },
      { text: '"7 of version 2"', isError: false },
    ]);
  },
);
