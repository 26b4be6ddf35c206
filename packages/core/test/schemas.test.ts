import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fastJsonStringify from 'fast-json-stringify';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  type Application,
  type ApplicationOptions,
  createApp,
  createRouter,
  errorHandler,
  InvalidApplicationError,
  json,
  NotFoundError,
  SealedError,
  type StandardSchema,
  schemaClass,
} from '../src/index.js';
import { start } from './support/start.js';

const User = z.object({ id: z.string(), name: z.string() });

function appWith(options: ApplicationOptions = {}): Application {
  return createApp({ onError: vi.fn(), ...options }).use(json());
}

function post(app: Application, path: string, body: unknown): Promise<Response> {
  return app.request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const schemaOf = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate },
});

const failing = (error: unknown): StandardSchema =>
  schemaOf(() => {
    throw error;
  });

describe('the schemas of a route', () => {
  it('give the handler what they produce', async () => {
    const options = {
      params: z.object({ id: z.coerce.number() }),
      query: z.object({ page: z.coerce.number().default(1) }),
      headers: z.object({ 'x-tenant': z.string().toUpperCase() }),
      body: z.object({ name: z.string().trim() }),
    };
    const app = appWith().post('/users/:id', options, (ctx) => {
      const { params, query, headers, body } = ctx;
      return { params, query, headers, body, raw: ctx.get('X-Tenant') };
    });

    const response = await app.request('/users/7', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Tenant': 'acme' },
      body: JSON.stringify({ name: ' Ada ', admin: true }),
    });

    expect(await response.json()).toEqual({
      params: { id: 7 },
      query: { page: 1 },
      headers: { 'x-tenant': 'ACME' },
      body: { name: 'Ada' },
      raw: 'acme',
    });
  });

  it('report the issues of all inputs in one response', async () => {
    const options = {
      params: z.object({ id: z.coerce.number('must be a number') }),
      query: z.object({ page: z.coerce.number('must be a number') }),
      headers: z.object({ 'x-tenant': z.string('is required') }),
      body: z.object({ tags: z.array(z.string('must be text')) }),
    };
    const app = appWith().post('/users/:id', options, () => 'not called');
    const response = await post(app, '/users/x?page=y', { tags: ['a', 1] });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: 'The request is not valid. See issues.',
      issues: [
        { source: 'param', path: ['param', 'id'], message: 'must be a number' },
        { source: 'query', path: ['query', 'page'], message: 'must be a number' },
        { source: 'header', path: ['header', 'x-tenant'], message: 'is required' },
        { source: 'body', path: ['body', 'tags', 1], message: 'must be text' },
      ],
    });
  });

  it('report the issues in the order of the inputs, even if some are asynchronous', async () => {
    const query = schemaOf(async () => ({ issues: [{ message: 'late' }] }));
    const body = schemaOf(() => ({ issues: [{ message: 'early' }] }));
    const app = appWith().post('/', { query, body }, () => 'not called');

    expect(await (await post(app, '/', {})).json()).toMatchObject({
      issues: [{ source: 'query' }, { source: 'body' }],
    });
  });

  it('report at most 100 issues', async () => {
    const app = appWith().post('/', { body: z.array(z.string()) }, () => 'not called');
    const response = await post(app, '/', new Array(5000).fill(1));

    expect(await response.json()).toMatchObject({
      detail: 'The body is not valid. See issues, the first 100 of 5000.',
      issues: Array.from({ length: 100 }, (_, index) => ({ path: ['body', index] })),
    });
  });

  it('shorten the long keys of issues', async () => {
    const body = z.record(z.string(), z.number());
    const app = appWith().post('/', { body }, () => 'not called');
    const response = await post(app, '/', { ['k'.repeat(5000)]: 'x' });

    expect(await response.json()).toMatchObject({
      issues: [{ path: ['body', `${'k'.repeat(200)}…`] }],
    });
  });

  it('shorten the long messages of issues', async () => {
    const app = appWith().post('/', { body: z.strictObject({}) }, () => 'not called');
    const response = await post(app, '/', { ['k'.repeat(5000)]: 'x' });

    expect(await response.json()).toMatchObject({
      issues: [{ path: ['body'], message: expect.stringMatching(/^Unrecognized key.{984}…$/) }],
    });
  });

  it('may report issues at keys of any type', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const path = [Symbol('s'), { key: 1 }, { key: cyclic as unknown as PropertyKey }];
    const query = schemaOf(() => ({ issues: [{ message: 'is wrong', path }] }));
    const app = appWith().get('/', { query }, () => 'not called');

    expect(await (await app.request('/')).json()).toMatchObject({
      issues: [{ path: ['query', 'Symbol(s)', 1, '[object Object]'] }],
    });
  });

  it('leave no unhandled rejection when one rejects and a later one throws', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const query = schemaOf(() => Promise.reject(new Error('late')));
    const app = appWith().post('/', { query, body: failing(new Error('early')) }, () => 'no');
    const checked = appWith({ checkResponses: true }).get('/', { response: query }, () => ({}));
    const statuses = [await post(app, '/', {}), await checked.request('/')].map((r) => r.status);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);

    expect(statuses).toEqual([500, 500]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('respond with 422 if the application says so', async () => {
    const app = appWith({ validationStatus: 422 }).post('/', { body: User }, () => 'not called');
    const response = await post(app, '/', {});

    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: 'The body is not valid. See issues.' });
    expect([app.validationStatus, createApp().validationStatus]).toEqual([422, 400]);
  });

  it.each([
    ['zod', z.object({ n: z.number() })],
    ['valibot', v.object({ n: v.number() })],
    ['arktype', type({ n: 'number' })],
  ])('may be of %s', async (_vendor, body) => {
    const app = appWith().post('/', { body }, ({ body: { n } }) => n);

    expect(await (await post(app, '/', { n: 1 })).json()).toBe(1);
    expect((await post(app, '/', { n: 'a' })).status).toBe(400);
  });

  it('may be asynchronous', async () => {
    const isFree = async (name: string) => name !== 'taken';
    const body = z.object({ name: z.string().refine(isFree, 'is taken') });
    const app = appWith().post('/', { body, query: z.object({}) }, (ctx) => ctx.body.name);

    expect(await (await post(app, '/', { name: 'new' })).json()).toBe('new');
    expect(await (await post(app, '/', { name: 'taken' })).json()).toMatchObject({
      issues: [{ path: ['body', 'name'], message: 'is taken' }],
    });
  });

  it('decide about an absent body', async () => {
    const app = appWith()
      .post('/optional', { body: User.optional() }, (ctx) => ({ body: ctx.body ?? 'none' }))
      .post('/required', { body: User }, () => 'not called');

    expect(await (await app.request('/optional', { method: 'POST' })).json()).toEqual({
      body: 'none',
    });
    expect((await app.request('/required', { method: 'POST' })).status).toBe(400);
  });

  it('refuse a body that nobody read with 415', async () => {
    const app = appWith().post('/', { body: User }, () => 'not called');
    const init = { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: 'a,b' };

    expect((await app.request('/', init)).status).toBe(415);
  });

  it.each([
    ['zod', z.object({ tag: z.array(z.string()).default([]), page: z.string().optional() })],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({ tag: v.optional(v.array(v.string()), []), page: v.optional(v.string()) }),
      ),
    ],
    ['arktype', type({ tag: 'string[] = []', 'page?': 'string' })],
  ])('read every value of a query parameter that is an array in %s', async (_vendor, query) => {
    const app = createApp().get('/', { query }, (ctx) => ctx.query);
    const read = async (search: string) => (await app.request(`/${search}`)).json();

    expect(await read('?tag=a&page=1&page=2')).toEqual({ tag: ['a'], page: '1' });
    expect(await read('?tag=a&tag=b')).toEqual({ tag: ['a', 'b'] });
    expect(await read('')).toEqual({ tag: [] });
  });

  it('leave a query parameter that is absent to the default of its array', async () => {
    const query = z.object({ tag: z.array(z.string()).default(['new']) });
    const app = createApp().get('/', { query }, (ctx) => ctx.query);
    expect(await (await app.request('/')).json()).toEqual({ tag: ['new'] });
    expect(await (await app.request('/?tag=')).json()).toEqual({ tag: [''] });
  });

  it('run after the middleware of the route', async () => {
    const order: string[] = [];
    const query = z.object({}).refine(() => order.push('schema'));
    const middleware = (_ctx: unknown, next: () => unknown) => {
      order.push('middleware');
      return next();
    };
    const app = createApp().get('/', { query }, middleware, () => order);
    app.seal();
    // The startup asks the schema which inputs it reads.
    order.length = 0;

    expect(await (await app.request('/')).json()).toEqual(['middleware', 'schema']);
  });

  it.each([
    ['throws', failing(new Error('db down'))],
    ['rejects', schemaOf(() => Promise.reject(new Error('db down')))],
  ])('respond with a reported 500 when one %s', async (_how, query) => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/users', { query }, () => 'not called');
    const response = await app.request('/users');

    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('db down');
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: 'SCHEMA_FAILED',
        message:
          'Validating the query of GET /users failed. Correct the schema that threw the error in cause.',
        cause: expect.objectContaining({ message: 'db down' }),
      }),
      expect.anything(),
    );
  });

  it('keep the status of an HttpError that one throws', async () => {
    const query = failing(new NotFoundError('No such tenant.'));
    const app = createApp().get('/', { query }, () => 'not called');

    expect((await app.request('/')).status).toBe(404);
  });

  it.each(['{}', '{ "issues": [] }', '{ "issues": "none", "value": 1 }'])(
    'respond with a 500 when one returns neither a value nor issues: %s',
    async (result) => {
      const onError = vi.fn();
      const query = schemaOf(() => JSON.parse(result));
      const app = createApp({ onError }).get('/', { query }, () => 'not called');

      expect((await app.request('/')).status).toBe(500);
      expect(onError.mock.calls[0]?.[0].cause.message).toContain('neither a value nor issues');
    },
  );
});

describe('the status of a route', () => {
  it.each([
    ['status', { status: 202 }],
    ['the only successful response', { response: { 202: User, 404: z.object({}) } }],
  ])('comes from %s', async (_source, options) => {
    const app = createApp().get('/', options, () => ({ id: '1', name: 'Ada' }));

    expect((await app.request('/')).status).toBe(202);
  });

  it('is 200 with several successful responses, and that of the handler', async () => {
    const options = { response: { 200: User, 201: User } };
    const app = createApp()
      .get('/default', options, () => ({ id: '1', name: 'Ada' }))
      .get('/own', { status: 202 }, (ctx) => {
        ctx.status = 203;
        return null;
      });

    expect((await app.request('/default')).status).toBe(200);
    expect((await app.request('/own')).status).toBe(203);
  });

  it.each([
    [{ status: 200, response: { 201: User } }, '200', '201'],
    [{ status: 404, response: { 200: User, 410: User } }, '404', '200 and 410'],
  ])('must be described if the responses are, by status: %o', (options, status, described) => {
    expect(() =>
      start(createApp().post('/users', options, () => ({ id: '1', name: 'Ada' }))),
    ).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(
          `app.post('/users') contradicts itself: its status is ${status}, but its response describes only ${described}.\n  Fix: add a schema for ${status} to response, or change the status.\n  At: `,
        ),
      }),
    );
  });

  it.each([
    { status: 201, response: User },
    { status: 201, response: { 201: User } },
    { status: 201, response: { 404: User } },
    { status: 204, response: { 200: User } },
  ])('need not be described with %o', (options) => {
    expect(() => start(createApp().post('/users', options, () => undefined))).not.toThrow();
  });

  it('gives way to that of an error', async () => {
    const app = createApp().get('/', { status: 201 }, () => {
      throw new NotFoundError();
    });

    expect((await app.request('/')).status).toBe(404);
  });
});

describe('response schemas', () => {
  const ada = { id: '1', name: 'Ada', password: 'secret' };
  const compileResponse = (schema: object) => fastJsonStringify(schema);

  it.each([
    ['a returned value', () => ada],
    ['a promise', async () => ada],
    ['ctx.json()', (ctx: { json(value: typeof ada): void }) => ctx.json(ada)],
  ])('leave out what they do not describe: %s', async (_how, handler) => {
    const app = createApp({ compileResponse }).get('/', { response: User }, handler);

    expect(await (await app.request('/')).text()).toBe('{"id":"1","name":"Ada"}');
  });

  it('apply by status', async () => {
    const response = { 200: User, 404: z.object({ missing: z.string() }) };
    const app = createApp({ compileResponse }).get('/:id', { response }, (ctx) => {
      if (ctx.params.id === '1') return ada;
      ctx.status = 404;
      return { missing: ctx.params.id, secret: true };
    });

    expect(await (await app.request('/1')).json()).toEqual({ id: '1', name: 'Ada' });
    expect(await (await app.request('/2')).json()).toEqual({ missing: '2' });
  });

  it('do not apply to errors, bytes and web responses', async () => {
    const options = { response: User };
    const app = createApp({ compileResponse, checkResponses: true })
      .get('/error', options, () => {
        throw new NotFoundError('Nobody.');
      })
      .get('/response', options, () => Response.json({ other: true }));

    expect(await (await app.request('/error')).json()).toMatchObject({ detail: 'Nobody.' });
    expect(await (await app.request('/response')).json()).toEqual({ other: true });
  });

  it('may be JSON Schemas', async () => {
    const response = { type: 'object', properties: { id: { type: 'string' } } };
    const app = createApp({ compileResponse }).get('/', { response }, () => ada);

    expect(await (await app.request('/')).json()).toEqual({ id: '1' });
  });

  it('are compiled once', () => {
    const compile = vi.fn(compileResponse);
    const options = { response: User };
    const router = createRouter()
      .get('/a', options, () => ada)
      .get('/b', options, () => ada);
    createApp({ compileResponse: compile }).route('/', router).seal();

    expect(compile).toHaveBeenCalledOnce();
  });

  it('that cannot be expressed stop the start', () => {
    const response = z.object({ created: z.date() });
    const app = createApp({ compileResponse })
      .get('/users', { response }, () => undefined)
      .get('/posts', { response: { 201: response } }, () => undefined);

    expect(() => app.seal()).toThrow(InvalidApplicationError);
    expect(() => app.seal()).toThrow('GET /posts');
    expect(() => app.seal()).toThrow(
      'Cannot compile the response schema of GET /users: Date cannot be represented in JSON Schema',
    );
  });

  it.each([
    ['with a compiler', { compileResponse }],
    ['without a compiler', {}],
  ])('are checked with checkResponses, %s', async (_how, options) => {
    const onError = vi.fn();
    const app = createApp({ ...options, onError, checkResponses: true })
      .get('/good', { response: User }, () => ({ id: '1', name: 'Ada' }))
      // @ts-expect-error: the name is missing.
      .get('/bad', { response: z.object({ user: User }) }, () => ({ user: { id: '1' } }));

    expect((await app.request('/good')).status).toBe(200);
    expect((await app.request('/bad')).status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'RESPONSE_SCHEMA' });
    expect(onError.mock.calls[0]?.[0].message).toMatch(
      /^The response of GET \/bad does not match its schema: user\.name: .+\n {2}Fix: /,
    );
  });

  it('are checked after app.checkResponses(), until the application is sealed', async () => {
    const onError = vi.fn();
    const app = createApp({ onError }).get('/', { response: User }, () => JSON.parse('{"id":1}'));
    app.checkResponses();

    expect((await app.request('/')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'RESPONSE_SCHEMA' });
    expect(() => app.checkResponses()).toThrow(SealedError);
  });

  it('that are asynchronous cannot be checked', async () => {
    const onError = vi.fn();
    const response = z.object({ id: z.string().refine(async () => true) });
    const app = createApp({ onError, checkResponses: true }).get('/', { response }, () => ada);

    expect((await app.request('/')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0].message).toContain('the schema is asynchronous');
  });

  it('are 500 RESPONSE_SCHEMA when the compiled writer refuses a value', async () => {
    const onError = vi.fn();
    const response = z.object({ id: z.string(), name: z.string() });
    const app = createApp({ compileResponse, onError }).get('/', { response }, () =>
      JSON.parse('{"id":"1"}'),
    );

    expect((await app.request('/')).status).toBe(500);
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'RESPONSE_SCHEMA' });
  });
});

describe('options of a route', () => {
  class UserClass extends schemaClass(User) {}
  const useArray = 'Use the array of your schema library, such as z.array(Book.schema).';

  it.each([
    [{ boby: User }, "router.get('/') has no option 'boby'. Did you mean 'body'?"],
    [{ body: {} }, "body of router.get('/') must be a Standard Schema"],
    [{ body: [User] }, `router.get('/') cannot use an array as a schema. ${useArray}`],
    [{ response: [User] }, `router.get('/') cannot use an array as a schema. ${useArray}`],
    [{ response: { 200: [UserClass] } }, 'cannot use [the class UserClass] as a schema'],
    [{ status: '201' }, "status of router.get('/') must be an integer from 200"],
    [{ tags: 'users' }, "tags of router.get('/') must be an array of strings"],
  ])('%o are refused', (options, message) => {
    expect(() => start(createRouter().get('/', options as object, () => 1))).toThrow(message);
  });

  it('are part of routes()', () => {
    const options = { summary: 'List', tags: ['users'], response: User };
    const router = createRouter().get('/', options, () => ({ id: '1', name: 'Ada' }));

    expect(createApp().use(errorHandler()).route('/users', router).routes()).toMatchObject([
      { method: 'GET', pattern: '/users', options },
    ]);
  });

  it('may be an instance of a class', () => {
    class Documented {
      readonly summary = 'Lists users';
    }
    const app = createApp().get('/users', new Documented(), () => []);
    expect(app.routes()).toMatchObject([{ options: { summary: 'Lists users' } }]);
  });

  it('do not replace the handler', () => {
    // @ts-expect-error: the handler is missing.
    expect(() => start(createRouter().on('GET', '/', {}))).toThrow('received no function');
  });
});
