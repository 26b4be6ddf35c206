import {
  createApp,
  createRouter,
  type Handler,
  json,
  type Middleware,
  type Route,
  type RouteOptions,
  raw,
  type Security,
  type SecurityRequirement,
  type StandardSchema,
  urlencoded,
} from '@fairlead/core';
import { describe as describeValue } from '@fairlead/core/extend';
import { multipart } from '@fairlead/multipart';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createDocument,
  type DocumentOptions,
  describeOperations,
  describeRoute,
  openapi,
  secured,
} from '../src/index.js';

const info = { title: 'Test', version: '1' };
const ok: Handler = () => null;

/** Describes an application of routes without schemas. */
function pathsOf(...routes: readonly (readonly [method: string, pattern: string])[]) {
  const app = createApp();
  for (const [method, pattern] of routes) app.on(method, pattern, ok);
  return createDocument(app, { info }).paths;
}

/** Describes a POST route. */
function operationOf(options: RouteOptions, pattern = '/') {
  const app = createApp().on('POST', pattern, options, ok);
  const [path = {}] = Object.values(createDocument(app, { info }).paths);
  return path.post;
}

describe('a route with several paths or methods', () => {
  it.each<[methods: string | string[], pattern: string | string[], expected: object]>([
    [
      'GET',
      '/posts/:year?/:month?',
      {
        '/posts': { get: 'list' },
        '/posts/{year}': { get: 'listByYear' },
        '/posts/{year}/{month}': { get: 'listByYearAndMonth' },
      },
    ],
    [
      'GET',
      ['/a', '/b', '/c'],
      { '/a': { get: 'list' }, '/b': { get: 'list2' }, '/c': { get: 'list3' } },
    ],
    [['PUT', 'PATCH'], '/a', { '/a': { put: 'listPut', patch: 'listPatch' } }],
    [
      ['PUT', 'PATCH'],
      '/a/:id?',
      {
        '/a': { put: 'listPut', patch: 'listPatch' },
        '/a/{id}': { put: 'listPutById', patch: 'listPatchById' },
      },
    ],
  ])('has an operation ID for each, from its own: %j %j', (methods, pattern, expected) => {
    const app = createApp().on(methods, pattern, { operationId: 'list' }, ok);
    const { paths } = createDocument(app, { info });
    const ids = Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(
          ([method, { operationId }]: [string, { operationId?: string }]) => [method, operationId],
        ),
      ),
    ]);
    expect(Object.fromEntries(ids)).toEqual(expected);
  });

  it('describes the parameters of each path', () => {
    const params = z.object({ id: z.coerce.number().int().optional() });
    const app = createApp().get('/users/:id?', { params, summary: 'Users' }, () => null);
    const { paths } = createDocument(app, { info });
    expect(paths['/users']?.get).not.toHaveProperty('parameters');
    expect(paths['/users/{id}']?.get).toMatchObject({
      summary: 'Users',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    });
  });

  it('may take no ID of another route', () => {
    const app = createApp()
      .get('/a/:id?', { operationId: 'list' }, () => null)
      .get('/b', { operationId: 'listById' }, () => null);
    expect(createDocument(app, { info }).paths).toMatchObject({
      '/a': { get: { operationId: 'list' } },
      '/a/{id}': { get: { operationId: 'listById2' } },
      '/b': { get: { operationId: 'listById' } },
    });
  });
});

describe('invalidParams: 404', () => {
  it('leaves out the status of invalid requests, unless another part of the request is validated', () => {
    const params = z.object({ id: z.coerce.number() });
    const query = z.object({ page: z.coerce.number() });
    const app = createApp()
      .get('/a/:id', { params, invalidParams: 404 }, () => null)
      .get('/b/:id', { params, query, invalidParams: 404 }, () => null)
      .get('/c/:id', { params }, () => null);
    const { paths } = createDocument(app, { info });
    const statuses = Object.values(paths).map(({ get }) => Object.keys(Object(get).responses));
    expect(statuses).toEqual([
      ['200', '404', 'default'],
      ['200', '400', '404', 'default'],
      ['200', '400', '404', 'default'],
    ]);
  });
});

describe('paths', () => {
  it.each([
    ['/', '/', []],
    ['/users/:id', '/users/{id}', ['id']],
    ['/users/:user/posts/:post', '/users/{user}/posts/{post}', ['user', 'post']],
    ['/:ना', '/{ना}', ['ना']],
    ['/images/:name.png', '/images/{name}.png', ['name']],
    ['/flights/:from-:to', '/flights/{from}-{to}', ['from', 'to']],
    ['/files/*path', '/files/{path}', ['path']],
    ['/files/*', '/files/{wildcard}', ['wildcard']],
    ['/at%3Anine', '/at%3Anine', []],
    ['/a%7Bb%7D', '/a%7Bb%7D', []],
  ])('%s becomes %s', (pattern, path, names) => {
    const [[found, { get } = {}] = ['']] = Object.entries(pathsOf(['GET', pattern]));

    expect(found).toBe(path);
    const parameters = names.map((name) => ({ name, in: 'path', required: true }));
    expect(Object(get).parameters ?? []).toMatchObject(parameters);
    expect(Object(get).parameters ?? []).toHaveLength(names.length);
  });

  it('mark the parameter of a wildcard', () => {
    const { get } = pathsOf(['GET', '/:user/*path'])['/{user}/{path}'] ?? {};
    const marks = Object(get).parameters.map((one: object) => Reflect.get(one, 'x-wildcard'));
    expect(marks).toEqual([undefined, true]);
  });

  it('take the parameter names of the first route', () => {
    const paths = pathsOf(['GET', '/users/:id'], ['PUT', '/users/:userId']);

    expect(Object.keys(paths)).toEqual(['/users/{id}']);
    expect(paths['/users/{id}']).toMatchObject({
      get: { parameters: [{ name: 'id' }] },
      put: { parameters: [{ name: 'id' }], operationId: 'putUsersByUserId' },
    });
  });

  it('have the prefixes of routers', () => {
    const posts = createRouter<'/users/:user'>().get('/posts', ok);
    const app = createApp().route('/users/:user', posts);

    expect(createDocument(app, { info }).paths).toHaveProperty(['/users/{user}/posts', 'get']);
  });

  it('list a route for all methods under those without a route of their own', () => {
    const paths = pathsOf(['ALL', '/a'], ['GET', '/a']);

    expect(Object.keys(paths['/a'] ?? {})).toEqual([
      'put',
      'post',
      'delete',
      'options',
      'patch',
      'get',
    ]);
    expect(paths['/a']).toMatchObject({ put: { operationId: 'putA' } });
  });

  it.each<[string, DocumentOptions['exclude'], string[]]>([
    ['nothing', undefined, ['/health', '/health/live', '/healthy']],
    ['paths below prefixes', ['/health'], ['/healthy']],
    [
      'routes for which a function returns true',
      ({ pattern }) => pattern === '/healthy',
      ['/health', '/health/live'],
    ],
  ])('leave out %s', (_, exclude, expected) => {
    const app = createApp().get('/hidden', { hidden: true }, ok);
    for (const path of ['/health', '/health/live', '/healthy']) app.get(path, ok);
    const document = createDocument(app, { info, ...(exclude && { exclude }) });

    expect(Object.keys(document.paths)).toEqual(expected);
  });
});

describe('operation IDs', () => {
  it.each([
    ['GET', '/', 'getRoot'],
    ['GET', '/users', 'getUsers'],
    ['DELETE', '/users/:id', 'deleteUsersById'],
    ['GET', '/api/v1/user-groups/:id/members', 'getApiV1UserGroupsByIdMembers'],
    ['GET', '/flights/:from-:to.json', 'getFlightsByFromAndToJson'],
    ['GET', '/files/*path', 'getFilesByPath'],
    ['GET', '/*', 'getByWildcard'],
    ['GET', '/café', 'getCafe'],
  ])('of %s %s is %s', (method, pattern, operationId) => {
    expect(pathsOf([method, pattern])).toEqual({
      [Object.keys(pathsOf([method, pattern]))[0] ?? '']: {
        [method.toLowerCase()]: expect.objectContaining({ operationId }),
      },
    });
  });

  it('get a number where they would repeat, unless they are given', () => {
    const app = createApp()
      .get('/users/by/id', ok)
      .get('/users/:by/:id', ok)
      .get('/a', { operationId: 'getUsersByByAndId' }, ok)
      .get('/users/by-id', ok);
    const { paths } = createDocument(app, { info });

    const ids = Object.values(paths).map(({ get }) => Object(get).operationId);
    expect(ids).toEqual(['getUsersById', 'getUsersByByById', 'getUsersByByAndId', 'getUsersById2']);
  });

  it('of a route for all methods ends with the method if it is given', () => {
    const app = createApp().all('/a', { operationId: 'proxy' }, ok);

    expect(createDocument(app, { info }).paths['/a']).toMatchObject({
      get: { operationId: 'proxyGet' },
      delete: { operationId: 'proxyDelete' },
    });
  });
});

describe('documentation', () => {
  it('of a route is part of its operation', () => {
    const text = {
      summary: 'Create',
      description: 'A *user*.',
      tags: ['b', 'a'],
      deprecated: true,
    };

    expect(operationOf(text)).toMatchObject(text);
    expect(operationOf({ deprecated: false })).not.toHaveProperty('deprecated');
    const deprecated = {
      since: '2026-01-31',
      sunset: '2999-01-01',
      replacement: '/v2',
      link: '/news',
    };
    expect(operationOf({ description: 'Old.', deprecated })).toMatchObject({
      deprecated: true,
      'x-sunset': '2999-01-01',
      description:
        'Old.\n\nDeprecated since 2026-01-31. It may be gone from 2999-01-01 on. Use /v2 instead. See /news.',
    });
  });

  it('lists the tags of the options, then those of routes', () => {
    const app = createApp().get('/a', { tags: ['new', 'users'] }, ok);
    const tags = [{ name: 'users', description: 'Who.' }, { name: 'unused' }];

    expect(createDocument(app, { info, tags }).tags).toEqual([...tags, { name: 'new' }]);
    expect(createDocument(createApp(), { info })).not.toHaveProperty('tags');
  });

  it('has the info and the servers of the options', () => {
    const servers = [{ url: 'https://api.example.org/v1' }];
    const app = createApp();

    expect(createDocument(app, { info, servers })).toMatchObject({ info, servers });
    expect(createDocument(app, { info }).servers).toEqual([{ url: '/' }]);
  });
});

describe('parameters', () => {
  it('are the members of the schemas', () => {
    const operation = operationOf(
      {
        params: z.object({ id: z.coerce.number().describe('The number.') }),
        query: z.object({
          page: z.coerce.number().default(1),
          sort: z.enum(['up', 'down']).meta({ deprecated: true }),
          tag: z.array(z.string()).optional(),
        }),
        headers: z.object({ 'x-tenant': z.string(), authorization: z.string() }),
      },
      '/:id/:other',
    );

    expect(operation).toHaveProperty('parameters', [
      {
        name: 'id',
        in: 'path',
        description: 'The number.',
        required: true,
        schema: { type: 'number' },
      },
      { name: 'other', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'page', in: 'query', schema: { type: 'number', default: 1 } },
      {
        name: 'sort',
        in: 'query',
        deprecated: true,
        required: true,
        schema: { type: 'string', enum: ['up', 'down'] },
      },
      {
        name: 'tag',
        in: 'query',
        style: 'form',
        explode: true,
        schema: { type: 'array', items: { type: 'string' } },
      },
      { name: 'x-tenant', in: 'header', required: true, schema: { type: 'string' } },
    ]);
  });

  it('that become booleans are strings, whose values an enum lists', () => {
    const done = z.enum(['true', 'false']).transform((text) => text === 'true');
    const operation = operationOf({ query: z.object({ all: z.stringbool(), done }) });

    expect(Object(operation).parameters).toMatchObject([
      { name: 'all', schema: { type: 'string' } },
      { name: 'done', schema: { type: 'string', enum: ['true', 'false'] } },
    ]);
  });

  it('are the members of intersections and references', () => {
    const Page = z.object({ page: z.string() }).meta({ id: 'PageQuery' });
    const query = z.intersection(Page, z.object({ sort: z.string().optional() }));

    expect(operationOf({ query })).toMatchObject({
      parameters: [
        { name: 'page', required: true },
        { name: 'sort', schema: { type: 'string' } },
      ],
    });
    expect(operationOf({ query: Page })).toMatchObject({ parameters: [{ name: 'page' }] });
  });

  it('have the styles in which a request carries lists and objects', () => {
    const query = z.object({
      text: z.string().optional(),
      lists: z.union([z.array(z.string()), z.null()]).optional(),
      either: z.string().or(z.array(z.string())).optional(),
      filter: z.object({ name: z.string(), ids: z.array(z.number()) }).optional(),
      since: z.coerce.date().optional(),
    });
    const options = { unrepresentable: 'any' } as const;
    const app = createApp().get('/', { query }, () => null);
    const { parameters } = Object(createDocument(app, { info, ...options }).paths['/']?.get);
    const styles = parameters.map((one: Record<string, unknown>) => [
      one.name,
      one.style,
      one.explode,
    ]);
    expect(styles).toEqual([
      ['text', undefined, undefined],
      ['lists', 'form', true],
      ['either', 'form', true],
      ['filter', 'deepObject', true],
      ['since', undefined, undefined],
    ]);
  });

  it('are one for a query of any members', () => {
    const query = z.record(z.string(), z.string());

    expect(operationOf({ query })).toMatchObject({
      parameters: [
        {
          name: 'query',
          in: 'query',
          style: 'form',
          explode: true,
          schema: { type: 'object', additionalProperties: { type: 'string' } },
        },
      ],
    });
  });

  const text = { type: 'string' };
  const hasOne = (name: string) => ({ properties: { [name]: text }, required: [name] });
  const either = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
  const variant = v.variant('kind', [
    v.object({ kind: v.literal('a'), a: v.string() }),
    v.object({ kind: v.literal('b'), b: v.string() }),
  ]);

  it.each<[string, StandardSchema, string, object]>([
    [
      'with a union in an intersection',
      toStandardJsonSchema(v.intersect([v.object({ page: v.string() }), variant])),
      'page=1&kind=b&b=2',
      {
        required: true,
        schema: {
          allOf: [
            hasOne('page'),
            {
              oneOf: [
                { properties: { kind: { const: 'a' } }, required: ['kind', 'a'] },
                { properties: { kind: { const: 'b' } }, required: ['kind', 'b'] },
              ],
            },
          ],
        },
      },
    ],
    [
      'of several unions',
      either.and(z.union([z.object({ c: z.string() }), z.object({ d: z.string() })])),
      'a=1&d=2',
      {
        required: true,
        schema: {
          allOf: [{ anyOf: [hasOne('a'), hasOne('b')] }, { anyOf: [hasOne('c'), hasOne('d')] }],
        },
      },
    ],
    [
      'of a union with a name',
      either.meta({ id: 'EitherQuery' }),
      'b=1',
      { required: true, schema: { $ref: '#/components/schemas/EitherQuery' } },
    ],
    [
      'of any members with a name',
      z.record(z.string(), z.string()).meta({ id: 'AnyQuery' }),
      'a=1',
      { schema: { $ref: '#/components/schemas/AnyQuery' } },
    ],
    [
      'of texts that also describes members with other names',
      z.object({ page: z.coerce.number() }).catchall(z.string()),
      'page=1&color=red',
      {
        required: true,
        schema: {
          properties: { page: { type: 'number' } },
          required: ['page'],
          additionalProperties: text,
        },
      },
    ],
  ])('are one for a query %s', async (_, query, sent, expected) => {
    const app = createApp().get('/', { query }, () => null);
    const { parameters } = Object(createDocument(app, { info }).paths['/']?.get);
    const whole = { name: 'query', in: 'query', style: 'form', explode: true };

    expect((await app.request(`/?${sent}`)).status).toBe(200);
    expect(parameters).toMatchObject([{ ...whole, ...expected }]);
  });

  it.each([
    ['may have others that it does not describe', z.looseObject({ page: z.string() }), ['page']],
    [
      'has lists and describes others',
      z.object({ page: z.array(z.string()), sort: z.string() }).catchall(z.string()),
      ['page', 'sort'],
    ],
  ])('are the named members of a query that %s', (_, query, names) => {
    const { parameters } = Object(operationOf({ query }));

    expect(parameters.map(({ name }: { readonly name: string }) => name)).toEqual(names);
  });

  it('of headers are the named ones', () => {
    const headers = z.object({ 'x-tenant': z.string() }).catchall(z.string());

    expect(operationOf({ headers })).toMatchObject({ parameters: [{ name: 'x-tenant' }] });
  });

  it('are the inputs that handlers read themselves', () => {
    const operation = operationOf(
      {
        inputs: [
          { source: 'param', name: 'id', schema: z.uuid(), required: true },
          {
            source: 'query',
            name: 'page',
            schema: z.number().describe('From 1.'),
            required: false,
          },
          { source: 'query', name: 'sort', required: true },
          { source: 'query', schema: z.object({ limit: z.number() }), required: true },
          { source: 'query', required: true },
          { source: 'header', name: 'X-Tenant', required: true },
        ],
      },
      '/:id',
    );

    expect(operation).toMatchObject({
      parameters: [
        { name: 'id', in: 'path', schema: { format: 'uuid' } },
        { name: 'page', in: 'query', description: 'From 1.', schema: { type: 'number' } },
        { name: 'sort', in: 'query', required: true, schema: { type: 'string' } },
        { name: 'limit', in: 'query', required: true },
        { name: 'x-tenant', in: 'header', required: true, schema: { type: 'string' } },
      ],
    });
    expect(operation).not.toHaveProperty('parameters.1.required');
    expect(operation).not.toHaveProperty('requestBody');
  });
});

describe('the request body', () => {
  const Body = z.object({ name: z.string() });

  it.each([
    ['no parser', [], ['application/json']],
    ['json()', [json()], ['application/json']],
    [
      'several parsers',
      [json(), urlencoded(), multipart(), json()],
      ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
    ],
    ['a parser of other types', [raw({ type: ['image/*', 'a/b'] })], ['image/*', 'a/b']],
  ])('has the media types of %s', (_, parsers, expected) => {
    const app = createApp()
      .use(...parsers, (_ctx, next) => next())
      .post('/', { body: Body }, ok);
    const post = Object(createDocument(app, { info }).paths['/']?.post);

    expect(Object.keys(post.requestBody.content)).toEqual(expected);
  });

  it('has the media types of the parsers of its router and its route', () => {
    const router = createRouter().use(json()).post('/', { body: Body }, urlencoded(), ok);
    const app = createApp().use('/other', multipart()).route('/', router);
    const post = Object(createDocument(app, { info }).paths['/']?.post);

    expect(Object.keys(post.requestBody.content)).toEqual([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
  });

  it.each([
    ['a schema of a value', Body, true],
    ['a schema of an optional value', Body.optional(), undefined],
    [
      'a schema of an optional value that is asynchronous',
      Body.optional().refine(async () => true),
      undefined,
    ],
    ['a schema of any value', z.any().transform((value) => value.name), undefined],
    ['a schema whose structure does not tell', z.preprocess((value) => value ?? {}, Body), true],
  ])('is required as %s says', (_, body, required) => {
    expect(Object(operationOf({ body })).requestBody.required).toBe(required);
  });

  it('is unknown for a route without a schema, although a parser reads bodies', () => {
    const app = createApp().use(json()).post('/', ok);

    expect(createDocument(app, { info }).paths['/']?.post).not.toHaveProperty('requestBody');
  });

  it('lacks the conditions that only code can check', () => {
    const body = z.object({ even: z.int().refine((value) => value % 2 === 0) });
    const same = z.object({ even: z.int() });

    expect(operationOf({ body })).toEqual(operationOf({ body: same }));
  });

  it('combines the members that a handler reads itself', () => {
    const operation = operationOf({
      inputs: [
        { source: 'body', name: 'name', schema: z.string(), required: true },
        { source: 'body', name: 'age', required: false },
      ],
    });

    expect(operation).toHaveProperty('requestBody', {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: {} },
            required: ['name'],
          },
        },
      },
    });
  });

  it('combines the whole with members that a handler reads itself', () => {
    const inputs = [
      { source: 'body', schema: Body, required: true },
      { source: 'body', name: 'age', schema: z.number(), required: false },
    ] as const;

    expect(operationOf({ inputs })).toMatchObject({
      requestBody: {
        content: {
          'application/json': {
            schema: {
              allOf: [
                { properties: { name: { type: 'string' } } },
                { properties: { age: { type: 'number' } } },
              ],
            },
          },
        },
      },
    });
  });
});

describe('responses', () => {
  const User = z.object({ name: z.string() });
  const json = { 'application/json': { schema: expect.objectContaining({ type: 'object' }) } };
  const problem = { $ref: '#/components/schemas/Problem' };
  const problemWith = (code: object) => ({
    'application/problem+json': { schema: { allOf: [problem], properties: { code } } },
  });
  /** Declares its own error. */
  const runsOnce = describeValue<Middleware>((_ctx, next) => next(), {
    role: 'middleware',
    sends: { responses: { 409: { description: 'It still runs.' } } },
  });

  it.each<[string, RouteOptions, object]>([
    ['nothing', {}, { 200: { description: 'OK' } }],
    ['a status', { status: 204 }, { 204: { description: 'No Content' } }],
    ['a schema', { response: User }, { 200: { description: 'OK', content: json } }],
    [
      'a schema and a status',
      { response: User, status: 201 },
      { 201: { description: 'Created', content: json } },
    ],
    [
      'schemas of statuses',
      { response: { 201: User, 202: User } },
      {
        201: { description: 'Created', content: expect.anything() },
        202: { description: 'Accepted', content: expect.anything() },
      },
    ],
    [
      'the schema of an error only',
      { response: { 409: User } },
      { 200: { description: 'OK' }, 409: { description: 'Conflict', content: json } },
    ],
    [
      'a schema for a status without a body',
      { response: { 204: User } },
      { 204: { description: 'No Content' } },
    ],
    [
      'a JSON Schema',
      { response: { type: 'object' } },
      { 200: { description: 'OK', content: json } },
    ],
  ])('describe %s', (_, options, expected) => {
    const error = { $ref: '#/components/responses/Error' };
    expect(Object(operationOf(options)).responses).toEqual({ ...expected, default: error });
  });

  it('have no content for HEAD', () => {
    const app = createApp().head('/:id', { response: User }, () => undefined);

    expect(createDocument(app, { info }).paths['/{id}']?.head).toHaveProperty('responses', {
      200: { description: 'OK' },
      404: { description: 'Not Found' },
      default: { description: 'Any other error' },
    });
  });

  it.each<[string, RouteOptions, string, number[]]>([
    ['takes nothing', {}, '/', []],
    ['has parameters', {}, '/:id', [404]],
    ['validates parameters', { params: User }, '/:id', [400, 404]],
    ['validates the query', { query: User }, '/', [400]],
    ['reads a body', { body: User }, '/', [400, 413, 415]],
    [
      'reads an input that is required',
      { inputs: [{ source: 'query', name: 'page', required: true }] },
      '/',
      [400],
    ],
    [
      'reads an input that is optional',
      { inputs: [{ source: 'query', name: 'page', required: false }] },
      '/',
      [],
    ],
    [
      'is secured',
      { security: [{ name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } }] },
      '/',
      [401, 403],
    ],
    ['lists statuses', { errors: [503, 409] }, '/', [409, 503]],
    ['lists codes', { errors: { 503: ['NO_CREW'], 409: [] } }, '/', [409, 503]],
  ])('list the errors of a route that %s', (_, options, pattern, statuses) => {
    const { responses } = Object(operationOf(options, pattern));

    expect(Object.keys(responses)).toEqual(['200', ...statuses.map(String), 'default']);
  });

  it('have issues only if schemas validate the request', () => {
    expect(operationOf({ errors: [400] })).toMatchObject({
      responses: { 400: { $ref: '#/components/responses/BadRequest' } },
    });
    expect(operationOf({ query: User })).toMatchObject({
      responses: { 400: { $ref: '#/components/responses/ValidationFailed' } },
    });
  });

  it('have the codes that the route declares for their status', () => {
    const gone = ['USER_NOT_FOUND', 'USER_LEFT'];
    const options = { errors: { 404: gone, 409: [] }, response: { 404: User } };

    expect(operationOf({ errors: { 404: gone } }, '/:id')).toMatchObject({
      responses: { 404: { description: 'Not Found', content: problemWith({ enum: gone }) } },
    });
    expect(operationOf(options)).toMatchObject({
      responses: {
        404: { content: { ...problemWith({ enum: gone }), ...json } },
        409: { $ref: '#/components/responses/Conflict' },
      },
    });
  });

  it('may have other codes if Fairlead responds with their status, too', () => {
    expect(operationOf({ query: User, errors: { 400: ['BAD_DATE'] } })).toMatchObject({
      responses: {
        400: {
          content: {
            'application/problem+json': {
              schema: {
                allOf: [{ $ref: '#/components/schemas/ValidationProblem' }],
                properties: { code: { anyOf: [{ enum: ['BAD_DATE'] }, { type: 'string' }] } },
              },
            },
          },
        },
      },
    });
  });

  it('may have other codes if they have the status of unexpected errors', async () => {
    const app = createApp({ onError: () => undefined }).get(
      '/',
      { errors: { 500: ['LOST'] } },
      () => {
        throw new Error('no');
      },
    );
    const code = { anyOf: [{ enum: ['LOST'] }, { type: 'string' }] };

    expect(createDocument(app, { info }).paths['/']?.get).toMatchObject({
      responses: { 500: { content: problemWith(code) } },
    });
    expect(await (await app.request('/')).json()).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  });

  it('may have other codes if middleware responds with their status, too', () => {
    const app = createApp()
      .use(runsOnce)
      .post('/', { errors: { 409: ['NAME_TAKEN'], 410: ['NAME_GONE'] } }, ok);
    const { responses } = Object(createDocument(app, { info }).paths['/']?.post);

    expect(responses[409]).toEqual({
      description: 'It still runs.',
      content: problemWith({ anyOf: [{ enum: ['NAME_TAKEN'] }, { type: 'string' }] }),
    });
    expect(responses[410].content).toEqual(problemWith({ enum: ['NAME_GONE'] }));
  });

  it('may have other codes if invalid path parameters have their status, too', async () => {
    const params = z.object({ id: z.coerce.number() });
    const errors = { 404: ['USER_NOT_FOUND'] };
    const app = createApp().get('/:id', { params, invalidParams: 404, errors }, () => null);
    const code = { anyOf: [{ enum: ['USER_NOT_FOUND'] }, { type: 'string' }] };

    expect(createDocument(app, { info }).paths['/{id}']?.get).toMatchObject({
      responses: { 404: { content: problemWith(code) } },
    });
    expect(await (await app.request('/a')).json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each<[string, RouteOptions, string]>([
    ['the schema of another part of the request', { query: z.object({ id: z.string() }) }, '/:id'],
    ['a path without parameters', { params: z.object({ id: z.string().optional() }) }, '/'],
  ])('have only the codes of the route for a 404 with %s', (_, options, pattern) => {
    const errors = { 404: ['USER_NOT_FOUND'] };

    expect(operationOf({ ...options, invalidParams: 404, errors }, pattern)).toMatchObject({
      responses: { 404: { content: problemWith({ enum: ['USER_NOT_FOUND'] }) } },
    });
  });

  it('show both the body of a route and the problem for an error of its middleware', () => {
    const app = createApp()
      .use(runsOnce)
      .post('/', { response: { 409: User, 410: z.null() } }, ok);
    const { responses } = Object(createDocument(app, { info }).paths['/']?.post);

    expect(responses[409].content).toEqual({
      'application/problem+json': { schema: problem },
      ...json,
    });
    expect(Object.keys(responses[410].content)).toEqual(['application/json']);
  });

  it('show both the body of a route and the problem for an error that it implies', () => {
    expect(operationOf({ response: { 404: User } }, '/:id')).toMatchObject({
      responses: {
        404: {
          content: {
            'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
            ...json,
          },
        },
      },
    });
  });

  it('have the bodies of an application that formats errors itself', () => {
    const app = createApp({ format: ({ detail }) => ({ detail }) }).get('/', { query: User }, ok);
    const errorSchema = z.object({ detail: z.string() }).meta({ id: 'Failure' });
    const { components } = createDocument(app, { info, errorSchema });

    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };
    expect(components.responses).toEqual({
      ValidationFailed: { description: 'Bad Request', content },
      Error: { description: 'Any other error', content },
    });
    expect(Object.keys(components.schemas ?? {})).toEqual(['Failure']);
  });
});

describe('security', () => {
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } } as const;
  const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } } as const;
  const basic = { name: 'basic', scheme: { type: 'http', scheme: 'basic' } } as const;
  const bearerOf = (...scopes: string[]) => ({ ...bearer, scopes });
  const pass = () => secured((_ctx: unknown, next: () => unknown) => next(), bearer);

  it('is that of the middleware upstream, of the router, of the route, and of its options', () => {
    const router = createRouter()
      .use(secured((_ctx, next) => next(), { ...key, scopes: ['read'] }))
      .get('/', { security: [{ ...key, scopes: ['write', 'read'] }] }, pass(), ok);
    const app = createApp()
      .get('/public', ok)
      .use('/a', pass())
      .get('/a', ok)
      .get('/ab', ok)
      .route('/b', router);
    const { paths, components } = createDocument(app, { info });

    expect(Object.entries(paths).map(([path, { get }]) => [path, Object(get).security])).toEqual([
      ['/public', []],
      ['/a', [{ bearer: [] }]],
      ['/ab', []],
      ['/b', [{ key: ['read', 'write'], bearer: [] }]],
    ]);
    expect(components.securitySchemes).toEqual({ bearer: bearer.scheme, key: key.scheme });
  });

  it.each<[string, Security, object[]]>([
    ['is one of several', { anyOf: [bearer, key] }, [{ bearer: [] }, { key: [] }]],
    [
      'is one of several, each with all that it needs',
      { anyOf: [bearer, [bearerOf('a'), key]] },
      [{ bearer: [] }],
    ],
    [
      'keeps ways that need something else',
      { anyOf: [bearerOf('a'), [bearer, key]] },
      [{ bearer: ['a'] }, { bearer: [], key: [] }],
    ],
    ['may be absent', { anyOf: [bearer, []] }, [{ bearer: [] }, {}]],
    ['is none if a request needs nothing', { anyOf: [[]] }, []],
    [
      'has each combination of two choices',
      [{ anyOf: [bearerOf('a'), key] }, { anyOf: [bearerOf('b'), basic] }],
      [
        { bearer: ['a', 'b'] },
        { bearer: ['a'], basic: [] },
        { key: [], bearer: ['b'] },
        { key: [], basic: [] },
      ],
    ],
    [
      'leaves out what needs more than another way',
      [{ anyOf: [bearer, key] }, bearerOf('a'), { anyOf: [bearer, []] }],
      [{ bearer: ['a'] }],
    ],
    [
      'may be absent if both of two choices may be',
      [{ anyOf: [bearer, []] }, { anyOf: [key, []] }],
      [{ bearer: [] }, { key: [] }, {}],
    ],
  ])('%s', (_, declared, expected) => {
    const guard = describeValue((_ctx: unknown, next: () => unknown) => next(), {
      security: declared,
    });
    const { paths } = createDocument(createApp().use(guard).get('/', ok), { info });
    const { get } = paths['/'] ?? {};

    expect(get).toMatchObject({ security: expected });
    expect('401' in Object(get).responses).toBe(expected.length > 0);
  });

  it('of several schemes is declared by a guard, a middleware or the options of a route', () => {
    const alternatives = { anyOf: [bearer, [key, basic], []] };
    const app = createApp()
      .get(
        '/a',
        secured((_ctx: unknown, next: () => unknown) => next(), alternatives),
        ok,
      )
      .get('/b', { security: [alternatives] }, ok);
    const { paths, components } = createDocument(app, { info });

    const security = [{ bearer: [] }, { key: [], basic: [] }, {}];
    expect(paths['/a']?.get).toMatchObject({ security });
    expect(paths['/b']?.get).toMatchObject({ security });
    expect(Object.keys(components.securitySchemes ?? {})).toEqual(['bearer', 'key', 'basic']);
  });

  it('is declared once for a class', () => {
    class SignedIn {}

    expect(secured(SignedIn, bearer)).toBe(SignedIn);
  });

  it('refuses what it cannot mark', () => {
    // @ts-expect-error: an object is not a function.
    expect(() => secured({}, { name: 'a b', schema: {} })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message:
          'secured() cannot mark an object. Pass a middleware, a guard or a class of guards.\n' +
          "name of secured() must be a name of letters, digits and the characters . _ -: got 'a b'.\n" +
          "secured() has no option 'schema'. Did you mean 'scheme'?\n" +
          'secured() needs a scheme. Pass one.',
      }),
    );
  });

  it.each<[string, unknown, string]>([
    [
      'an array',
      [bearer, key],
      'secured() cannot use an array. Pass { anyOf: […] } if one of its members is enough. If requests need all of them, call secured() for each.',
    ],
    [
      'no alternatives',
      { anyOf: [] },
      'anyOf of secured() must be an array of at least one way to authenticate: got [].',
    ],
    [
      'alternatives that are no array',
      { anyOf: bearer },
      'anyOf of secured() must be an array of at least one way to authenticate: got an object.',
    ],
    [
      'an alternative without a scheme',
      { anyOf: [bearer, [{ name: 'key' }]] },
      'secured() needs a scheme. Pass one.',
    ],
    [
      'a scheme with a type that OpenAPI does not have',
      { name: 'bearer', scheme: { type: 'bearer' } },
      "scheme of secured() must be a Security Scheme Object, such as { type: 'http', scheme: 'bearer' }, with the type apiKey (in, name), http (scheme), mutualTLS, oauth2 (flows) or openIdConnect (openIdConnectUrl): got an object.",
    ],
    [
      'a scheme without a member that its type needs',
      { anyOf: [bearer, { name: 'key', scheme: { type: 'apiKey', in: 'header' } }] },
      expect.stringContaining('scheme of secured() must be a Security Scheme Object'),
    ],
    [
      'another option beside the alternatives',
      { anyOf: [bearer], scopes: ['a'] },
      "secured() has no option 'scopes'. Remove it, or use anyOf.",
    ],
  ])('refuses %s', (_, security, message) => {
    expect(() => secured(() => true, security as SecurityRequirement)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message }),
    );
  });
});

it('describes a single route, also a hidden one', () => {
  const User = z.object({ id: z.string() }).meta({ id: 'DescribedUser' });
  const app = createApp()
    .get('/users', { response: z.array(User) }, () => [])
    .get('/users/:id', { hidden: true, response: User }, ({ params }) => params);
  const [, route] = app.routes();
  const { path, operation, schemas } = describeRoute(app, route as Route);

  expect(path).toBe('/users/{id}');
  expect(operation).toMatchObject({ operationId: 'getUsersById', parameters: [{ name: 'id' }] });
  expect(schemas).toEqual({ DescribedUser: expect.objectContaining({ type: 'object' }) });
});

describe('describeOperations()', () => {
  const create = () =>
    createApp()
      .get('/users/:id', () => 1)
      .put('/users/:key', () => 1)
      .on('QUERY', '/search', () => 1)
      .get('/hidden', { hidden: true }, () => 1)
      .on('ALL', '/any', () => 1);

  it('describes every method of every route, except of hidden ones', () => {
    const app = create();
    app.seal();
    const { operations, components, knowsErrors } = describeOperations(app);
    expect(operations.map(({ method, path, route }) => [method, path, route.pattern])).toEqual([
      ['GET', '/users/{id}', '/users/:id'],
      // Paths of one shape share the names of the first one.
      ['PUT', '/users/{id}', '/users/:key'],
      ['QUERY', '/search', '/search'],
      ...['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => [
        method,
        '/any',
        '/any',
      ]),
    ]);
    expect(operations[1]?.operation.parameters).toEqual([expect.objectContaining({ name: 'id' })]);
    expect(operations[0]?.operation.responses).toMatchObject({
      default: { $ref: '#/components/responses/Error' },
    });
    expect(Object.keys(components.responses ?? {})).toContain('Error');
    expect(knowsErrors).toBe(true);
  });

  it.each([
    ['the schema of the first document', { title: 'Failure', type: 'object' }, true],
    ['none, if the application has its own format', undefined, false],
  ] as const)('describes errors by %s', async (_, errorSchema, knowsErrors) => {
    const app = createApp({ format: () => ({ message: 'no' }) }).get('/', () => 1);
    if (errorSchema !== undefined) await app.plugin(openapi({ info, errorSchema, docs: false }));
    app.seal();
    const described = describeOperations(app);
    expect(described.knowsErrors).toBe(knowsErrors);
    expect(Object.keys(described.components.schemas ?? {})).toEqual([
      knowsErrors ? 'Failure' : 'Problem',
    ]);
  });
});
