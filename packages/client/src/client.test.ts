import {
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  NotFoundError,
  raw,
  type StandardSchema,
  text,
} from '@fairlead/core';
import { afterEach, describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { type ClientOptions, createClient, ResponseError } from './client.js';
import type { CallOptions, ClientOf, Contract, EventMessage, Json } from './contract.js';

/** A controller as `defineController()` types it. */
interface Users {
  readonly '~contract'?: {
    readonly version: '';
    readonly prefix: '/users';
    readonly routes: {
      readonly list: {
        readonly method: 'GET';
        readonly path: '/';
        readonly params: Readonly<Record<never, never>>;
        readonly query: { readonly page?: number; readonly tag?: readonly string[] };
        readonly body: unknown;
        readonly response: { readonly 200: readonly User[] };
      };
      readonly find: {
        readonly method: 'GET';
        readonly path: '/:id';
        readonly params: { readonly id: string };
        readonly query: Readonly<Record<string, string | undefined>>;
        readonly body: unknown;
        readonly response: { readonly 200: User };
        readonly errors: { readonly 404: readonly ['USER_NOT_FOUND', 'USER_LEFT'] };
      };
      readonly create: {
        readonly method: 'POST';
        readonly path: '/';
        readonly params: Readonly<Record<never, never>>;
        readonly query: Readonly<Record<string, string | undefined>>;
        readonly body: { readonly name: string };
        readonly response: { readonly 201: User; readonly 202: { readonly job: string } };
      };
      readonly search: {
        readonly method: 'QUERY';
        readonly path: '/';
        readonly params: Readonly<Record<never, never>>;
        readonly query: Readonly<Record<string, string | undefined>>;
        readonly body: { readonly name: string };
        readonly response: { readonly 200: readonly User[] };
      };
    };
  };
}

interface User {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

type Routes = ClientOf<[Users], '/api'>;

const SINCE = new Date(0);

const app = createApp()
  .use(errorHandler(), json(), text(), raw())
  .post('/api/echo', (ctx) => ({ type: ctx.get('Content-Type'), body: String(ctx.body) }))
  .get('/api/users', (ctx) => [
    {
      id: ctx.searchParams.toString(),
      name: ctx.get(ctx.get('x-echo') ?? 'x-name') ?? '',
      createdAt: SINCE,
    },
  ])
  .get('/api/users/:id', (ctx) => {
    if (ctx.params.id === '0') throw new NotFoundError('No such user', { code: 'USER_NOT_FOUND' });
    return { id: ctx.params.id, name: 'Ada', createdAt: SINCE };
  })
  .query('/api/users', (ctx) => [{ id: '1', ...(ctx.body as object), createdAt: SINCE }])
  .post('/api/users', (ctx) => {
    ctx.status = 201;
    return { id: '1', ...(ctx.body as object), createdAt: SINCE };
  })
  .get('/api/files/*path', (ctx) => ctx.send(ctx.params.path ?? ''))
  .get('/api/empty', (ctx) => {
    ctx.status = 204;
  })
  .get('/api/bytes', (ctx) => ctx.send(Buffer.from([1, 2, 3])))
  .get('/api/plain', (ctx) => {
    ctx.status = 503;
    ctx.send('Down for an hour');
  })
  .get('/api/events', (ctx) => {
    ctx.set('Content-Type', 'Text/Event-Stream; charset=utf-8');
    ctx.send('event: added\ndata: {"id":1}\nid: 7\n\ndata: plain\n\n');
  })
  .get('/api/other-events', (ctx) => {
    ctx.set('Content-Type', 'text/event-stream-2');
    ctx.send('data: 1\n\n');
  });

const inProcess = { fetch: (request: Request) => app.fetch(request) };
const client = createClient<Routes>('http://localhost', inProcess);
const untyped = createClient('http://localhost/api/', inProcess);
const untypedUsers = (options: CallOptions<Contract>) =>
  untyped.get('/users', options) as Promise<readonly { id: string; name: string }[]>;

describe('a route with several paths and methods', () => {
  interface Posts {
    readonly '~contract'?: {
      readonly version: '';
      readonly prefix: '/posts';
      readonly routes: {
        readonly read:
          | Read<'', Readonly<Record<never, string>>>
          | Read<'/:id', { readonly id: string }>;
      };
    };
  }
  interface Read<Path extends string, Params> {
    readonly method: 'GET' | 'PUT';
    readonly path: Path;
    readonly params: Params;
    readonly query: unknown;
    readonly body: unknown;
    readonly response: { readonly 200: string };
  }

  it('has a key for each of them, with its own parameters', async () => {
    const posts = createApp().on(
      ['GET', 'PUT'],
      '/posts/:id?',
      (ctx) => `${ctx.method} ${ctx.path}`,
    );
    const own = createClient<ClientOf<[Posts]>>('http://localhost', {
      fetch: (request) => posts.fetch(request),
    });
    const all = await own.get('/posts');
    expectTypeOf(all).toEqualTypeOf<string>();
    expect(all).toBe('GET /posts');
    expect(await own.get('/posts/:id', { params: { id: '7' } })).toBe('GET /posts/7');
    expect(await own.put('/posts/:id', { params: { id: '7' } })).toBe('PUT /posts/7');
    // @ts-expect-error: the parameter is missing.
    await expect(own.get('/posts/:id')).rejects.toThrow("the parameter 'id' is missing");
    // @ts-expect-error: the route does not handle POST.
    await expect(own.post('/posts')).rejects.toThrow('405');
  });
});

describe('the statuses of a route', () => {
  const schemaOf = <Value>(): StandardSchema<Value> => ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value: value as Value }),
      jsonSchema: { input: () => ({}), output: () => ({}) },
    },
  });
  const [Name, Count] = [schemaOf<string>(), schemaOf<number>()];
  const jobs = createRouter().define('/jobs', ({ get, head, on }) => ({
    partly: get('/partly', { status: 218 }, () => ({ done: 1 })),
    several: get('/several', { status: 299, response: { 200: Name, 299: Count } }, () => 1),
    probe: head('/probe', () => ({ done: 1 })),
    either: on(['GET', 'HEAD'], '/either', { response: Name }, () => 'tea'),
    page: head('/page', (ctx) => ctx.html('<p>tea</p>')),
    cached: get('/cached', { response: Name }, (ctx) => {
      ctx.status = 304;
      return 'tea';
    }),
  }));
  const server = createApp().route('/', jobs);
  const own = createClient<ClientOf<[typeof jobs]>>('http://localhost', {
    fetch: (request) => server.fetch(request),
  });

  it('may be any successful one', async () => {
    const partly = await own.get('/jobs/partly');
    expectTypeOf(partly).toEqualTypeOf<{ readonly done: 1 }>();
    expect(partly).toEqual({ done: 1 });
    const several = await own.get('/jobs/several');
    expectTypeOf(several).toEqualTypeOf<string | number>();
    expect(several).toBe(1);
    const result = await own.send('GET', '/jobs/several');
    expectTypeOf<Extract<typeof result, { status: 299 }>['body']>().toEqualTypeOf<number>();
    expect(result).toMatchObject({ ok: true, status: 299, body: 1 });
  });

  it('have no bodies with HEAD', async () => {
    const probe = await own.send('HEAD', '/jobs/probe');
    expectTypeOf<Extract<typeof probe, { ok: true }>['body']>().toEqualTypeOf<undefined>();
    expect(probe).toMatchObject({ ok: true, status: 200, body: undefined });
    const either = await own.send('HEAD', '/jobs/either');
    expectTypeOf<Extract<typeof either, { ok: true }>['body']>().toEqualTypeOf<undefined>();
    expect(either).toMatchObject({ ok: true, status: 200, body: undefined });
    expectTypeOf(await own.get('/jobs/either')).toEqualTypeOf<string>();
    const page = await own.send('HEAD', '/jobs/page');
    expect(page).toMatchObject({ ok: true, status: 200, body: undefined });
  });

  it('may be one between successes and errors, such as that of an unchanged response', async () => {
    const cached = await own.send('GET', '/jobs/cached');
    expectTypeOf<304>().toExtend<Extract<typeof cached, { ok: false }>['status']>();
    expect(cached).toMatchObject({ ok: false, status: 304 });
  });
});

describe('prefixes with a slash at the end', () => {
  interface Lists {
    readonly '~contract'?: {
      readonly version: 'v1/';
      readonly prefix: '/lists/';
      readonly routes: { readonly open: OpenLists };
    };
  }
  interface OpenLists {
    readonly method: 'GET';
    readonly path: '/open';
    readonly params: unknown;
    readonly query: unknown;
    readonly body: unknown;
    readonly response: { readonly 200: string };
  }

  it('have one slash before the next part', async () => {
    const own = createClient<ClientOf<[Lists], '/api/'>>('http://localhost', {
      fetch: (request) => Promise.resolve(Response.json(request.url)),
    });
    expect(await own.get('/api/v1/lists/open')).toBe('http://localhost/api/v1/lists/open');
  });
});

describe('the functions for each method', () => {
  it('return the body of a successful response', async () => {
    const user = await client.get('/api/users/:id', { params: { id: '7' } });
    expectTypeOf(user).toEqualTypeOf<Json<User>>();
    expectTypeOf(user.createdAt).toEqualTypeOf<string>();
    expect(user).toEqual({ id: '7', name: 'Ada', createdAt: SINCE.toJSON() });
  });

  it('encode parameters, and keep the slashes of a wildcard', async () => {
    const user = await client.get('/api/users/:id', { params: { id: 'a/b ü' } });
    expect(user.id).toBe('a/b ü');
    expect(await untyped.get('/files/*path', { params: { path: 'a/b c' } })).toBe('a/b c');
  });

  it('repeat a query parameter for each value, and leave out undefined ones', async () => {
    const [user] = await client.get('/api/users', { query: { tag: ['a', 'b&c'] } });
    expect(user?.id).toBe('tag=a&tag=b%26c');
    const [other] = (await untyped.get('/users', { query: { page: undefined } })) as readonly [
      { id: string },
    ];
    expect(other.id).toBe('');
  });

  it('send JSON', async () => {
    const created = await client.post('/api/users', { body: { name: 'Ada' } });
    expectTypeOf(created).toEqualTypeOf<Json<User> | { readonly job: string }>();
    expect(created).toMatchObject({ name: 'Ada' });
  });

  it('send bytes, and text of another type than JSON, as they are', async () => {
    const bytes = new TextEncoder().encode('raw');
    const headers = { 'Content-Type': 'application/octet-stream' };
    expect(await untyped.post('/echo', { headers, body: bytes })).toEqual({
      type: 'application/octet-stream',
      body: 'raw',
    });
    const written = { headers: { 'Content-Type': 'text/plain' }, body: 'a "b"' };
    expect(await untyped.post('/echo', written)).toEqual({ type: 'text/plain', body: 'a "b"' });
    const value = { headers: { 'Content-Type': 'application/json' }, body: 'a "b"' };
    expect(await untyped.post('/echo', value)).toMatchObject({ body: 'a "b"' });
  });

  it('refuse a stream', async () => {
    const call = untyped.post('/echo', { body: new Blob(['tea']).stream() });
    await expect(call).rejects.toThrow(
      'Cannot send a stream, which a repeated request would lack. Pass a Blob: await new Response(stream).blob()',
    );
  });

  it('send a body with QUERY', async () => {
    const [found] = await client.query('/api/users', { body: { name: 'Ada' } });
    expectTypeOf(found).toEqualTypeOf<Json<User> | undefined>();
    expect(found?.name).toBe('Ada');
  });

  it('name the type of JSON with QUERY without a body, unless the call names one', async () => {
    const types: (string | null)[] = [];
    const own = createClient('http://localhost', {
      fetch: async ({ headers }) => {
        types.push(headers.get('Content-Type'));
        return Response.json(true);
      },
    });
    await own.query('/');
    await own.query('/', { headers: { 'content-type': 'text/plain' } });
    await own.query('/', { body: new URLSearchParams({ a: '1' }) });
    await own.get('/');
    await own.post('/');
    const form = 'application/x-www-form-urlencoded;charset=UTF-8';
    expect(types).toEqual(['application/json', 'text/plain', form, null, null]);
  });

  it.each([
    ['model/gltf+json', '{"a":1}', { a: 1 }],
    ['application/problem+json; charset=utf-8', '{"a":1}', { a: 1 }],
    ['application/json-seq', '\u001e{"a":1}\n', expect.any(Blob)],
    ['text/json', '{"a":1}', { a: 1 }],
  ])('return what the media type says: %s', async (type, body, expected) => {
    const other = createClient('http://localhost', {
      fetch: () => Promise.resolve(new Response(body, { headers: { 'Content-Type': type } })),
    });
    expect(await other.get('/')).toEqual(expected);
  });

  it('return undefined for an empty body, and a Blob for bytes', async () => {
    expect(await untyped.get('/empty')).toBeUndefined();
    const bytes = (await untyped.get('/bytes')) as Blob;
    expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([1, 2, 3]);
  });

  it('reject with the problem of an error response', async () => {
    const call = client.get('/api/users/:id', { params: { id: '0' } });
    const error = await call.catch((caught: unknown) => caught as ResponseError);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({
      status: 404,
      code: 'USER_NOT_FOUND',
      message: 'GET http://localhost/api/users/0 failed with 404: No such user',
    });
  });

  it('reject with the text of an error response that is no problem', async () => {
    await expect(untyped.get('/plain')).rejects.toMatchObject({
      status: 503,
      code: undefined,
      problem: { detail: 'Down for an hour' },
    });
  });

  it('fill in a path of OpenAPI, and a name with any letters', async () => {
    const params = { 'user-id': 'a/b', größe: 7 };
    const user = (await untyped.get('/users/{user-id}', { params })) as { id: string };
    expect(user.id).toBe('a/b');
    expect(await untyped.get('/users/:größe', { params })).toMatchObject({ id: '7' });
  });

  it('write the names of members in brackets, for objects in a query', async () => {
    const query = { created: { gte: 1, not: ['2', '3'], lt: undefined }, on: new Date(0) };
    const [user] = await untypedUsers({ query });
    const values = new URLSearchParams(user?.id);
    expect([...values]).toEqual([
      ['created[gte]', '1'],
      ['created[not]', '2'],
      ['created[not]', '3'],
      ['on', '1970-01-01T00:00:00.000Z'],
    ]);
  });

  it('prefer JSON, unless the call asks for something else', async () => {
    const header = { 'X-Echo': 'Accept' };
    const [user] = await untypedUsers({ headers: header });
    expect(user?.name).toBe('application/json, */*;q=0.9');
    const [other] = await untypedUsers({ headers: { ...header, Accept: 'text/csv' } });
    expect(other?.name).toBe('text/csv');
  });

  it('name a missing parameter', async () => {
    await expect(untyped.get('/users/:id', {})).rejects.toThrow(
      "Cannot call /users/:id: the parameter 'id' is missing. Pass it.",
    );
  });
});

it('the lists of a query have no gaps, which text cannot carry', async () => {
  interface Gaps extends Contract {
    readonly query: { readonly a?: readonly (string | null)[]; readonly b?: readonly [1, 2] };
  }
  expectTypeOf<CallOptions<Gaps>['query']>().toEqualTypeOf<
    { readonly a?: readonly string[]; readonly b?: readonly [1, 2] } | undefined
  >();
  await expect(untyped.get('/users', { query: { a: ['b', null] } })).rejects.toThrow(
    "The list 'a' contains null, which text cannot carry.",
  );
});

it.each([{ q: '\ud800' }, { q: ['a', '\udc00'] }, { q: { '\ud800': 'a' } }])(
  'a query must not contain half of a character: %j',
  async (query) => {
    await expect(untyped.get('/users', { query })).rejects.toThrow(TypeError);
  },
);

describe('a parameter of a path', () => {
  const echo = createApp();
  for (const pattern of ['/:a', '/:a.json', '/:a/b', '/a/:a?', '/:a-:b', '/:a,:b', '/f/*a']) {
    echo.get(`/api${pattern}`, ({ params }) => params);
  }
  const caller = createClient('http://localhost/api', { fetch: (request) => echo.fetch(request) });

  it.each([
    ['/:a', { a: 'a/../b' }],
    ['/:a', { a: '%2e%2e' }],
    ['/:a', { a: '..\\..\\b' }],
    ['/:a', { a: '...' }],
    ['/:a', { a: '?b=c#d;e&f' }],
    ['/:a', { a: '\u0001\t\r\n\u007f\u2028\u{1f600}' }],
    ['/:a', { a: '//example.com' }],
    ['/:a.json', { a: 'b.json' }],
    ['/{a}.json', { a: 'b' }],
    ['/{a}/b', { a: '{b}' }],
    ['/:a-:b', { a: 'b', b: 'c-d' }],
    ['/:a,:b', { a: 'b c', b: ',' }],
    ['/a/:a?', { a: 'b' }],
    ['/f/*a', { a: 'b/c d/%2F/...' }],
    ['/f/*a', { a: 'b\\..\\c/' }],
  ])('reaches the route of %s as it is: %j', async (pattern, params) => {
    expect(await caller.get(pattern, { params })).toEqual(params);
  });

  it.each([
    [0, '0'],
    [-1.5, '-1.5'],
    [2n, '2'],
    [false, 'false'],
    [SINCE, SINCE.toJSON()],
  ])('may be %s', async (a, text) => {
    expect(await caller.get('/:a/b', { params: { a } })).toEqual({ a: text });
  });

  it.each([
    '',
    '.',
    '..',
    '\0',
    'a\0',
    '\ud800',
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    new Date(Number.NaN),
    {},
    [],
    ['..'],
    ['1,2', '3'],
    [' a'],
    ['', 'a'],
    [','],
    Symbol('a'),
    () => '..',
    new String('..'),
  ])('must be text that a segment can carry: not %j', async (a) => {
    for (const pattern of ['/:a', '/users/:a', '/:a/admin', '/:a.json', '/{a}', '/a/:a?', '/*a']) {
      const problem = `Cannot call ${pattern}: the parameter 'a' cannot be part of a path.`;
      await expect(caller.get(pattern, { params: { a } })).rejects.toThrow(problem);
    }
  });

  it.each([
    '..',
    '../../admin/export',
    'a/../../b',
    'a/..',
    'a/.',
    './a',
    'a//b',
    '/a',
    '//example.com/a',
    'a//',
    '/',
    '/..',
    'a/\0',
    'a/\udc00',
  ])('must have no empty or relative segments in a wildcard: %j', async (path) => {
    const call = caller.send('DELETE', '/f/*path', { params: { path } });
    await expect(call).rejects.toThrow(TypeError);
  });

  it.each([
    ['/:a-:b', { a: 'b-c', b: 'd' }],
    ['/:a,:b', { a: 'b,c', b: 'd' }],
    ['/:ax:b', { ax: 'b', b: '' }],
    ['/{a}--{b}', { a: 'b-', b: 'c' }],
    ['/{a}X{b}', { a: 'bx', b: 'c' }],
    ['/{a}{b}', { a: 'bc', b: 'd' }],
  ])('must leave the values of %s apart: %j', async (pattern, params) => {
    await expect(caller.get(pattern, { params })).rejects.toThrow(TypeError);
  });

  it('reaches its route as a list, unless its elements could not', async () => {
    const read = vi.fn(() => Promise.resolve(Response.json(true)));
    const lists = createClient('http://localhost', { fetch: read });
    await lists.get('/:ids', { params: { ids: ['1', 'b c', 2] } });
    expect(read).toHaveBeenCalledWith(
      expect.objectContaining({ url: 'http://localhost/1%2Cb%20c%2C2' }),
    );
    for (const ids of [['1,2', '3'], [' a', 'b '], ['', 'a'], [','], []]) {
      await expect(lists.get('/:ids', { params: { ids } })).rejects.toThrow(TypeError);
    }
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('is not inherited', async () => {
    const call = caller.get('/:toString', { params: {} });
    await expect(call).rejects.toThrow("the parameter 'toString' cannot be part of a path");
  });

  it('cannot change the host', async () => {
    expect(await caller.get('*a', { params: { a: '.example.com' } })).toEqual({
      a: '.example.com',
    });
  });
});

it('the URL of a client has no query or fragment', () => {
  for (const url of ['http://localhost/?key=1', new URL('http://localhost/a#b'), '/api?']) {
    expect(() => createClient(url)).toThrow(/^Cannot create a client for .*: it has a query/);
  }
});

it('the URL of a client has the scheme http or https, or none', () => {
  expect(() => createClient('localhost:8080')).toThrow(
    "Cannot create a client for localhost:8080: its scheme is 'localhost:'. Pass 'http://localhost:8080'.",
  );
  expect(() => createClient('ws://localhost')).toThrow('Pass a URL with http: or https:.');
  for (const url of ['HTTPS://example.com', '/api', 'api', '']) createClient(url);
});

it('a header of a client has a valid name and value', () => {
  const headers = { Authorization: 'Bearer abc\nx' };
  expect(() => createClient('http://localhost', { headers })).toThrow(
    /^Cannot create a client with the header 'Authorization': its name or its value has characters that no header may have, such as a line break\. Remove them, as trim\(\) does\.$/,
  );
  createClient('http://localhost', { headers: { Authorization: 'Bearer abc' } });
});

describe('send()', () => {
  it('returns a body by its status', async () => {
    const result = await client.send('POST', '/api/users', { body: { name: 'Ada' } });
    if (!result.ok || result.status !== 201) throw new Error('unexpected');
    expectTypeOf(result.body).toEqualTypeOf<Json<User>>();
    expect([result.status, result.body.name]).toEqual([201, 'Ada']);
  });

  it('returns the codes that a route declares for a status', async () => {
    const result = await client.send('GET', '/api/users/:id', { params: { id: '0' } });
    if (result.ok || result.status !== 404) throw new Error('unexpected');
    expectTypeOf(result.problem.code).toEqualTypeOf<'USER_NOT_FOUND' | 'USER_LEFT' | undefined>();
    expect(result.problem.code).toBe('USER_NOT_FOUND');
  });
});

it('the message of a ResponseError has the start of the text of the server, on one line', async () => {
  const detail = `\u001b[2J\r\nno\u202e${'x'.repeat(2_000)}`;
  const failing = createClient('http://localhost', {
    fetch: async () => Response.json({ detail }, { status: 500 }),
  });
  const error: unknown = await failing.get('/').catch((reason: unknown) => reason);
  const shown = `\\u001b[2J\\u000d\\u000ano\\u202e${'x'.repeat(991)}…`;
  expect(error).toMatchObject({
    message: `GET http://localhost/ failed with 500: ${shown}`,
    problem: { detail },
  });
});

describe('events()', () => {
  it('reads the events of a stream', async () => {
    const events = await Array.fromAsync(untyped.events('/events'));
    expect(events).toEqual([
      { event: 'added', data: { id: 1 }, id: '7' },
      { event: 'message', data: 'plain', id: undefined },
    ]);
  });

  it.each([
    ['/users/7', 200, 'application/json; charset=utf-8'],
    ['/empty', 204, 'none'],
    ['/other-events', 200, 'text/event-stream-2; charset=utf-8'],
  ])('rejects if the response of %s is no event stream', async (path, status, received) => {
    await expect(untyped.events(path).next()).rejects.toMatchObject({
      name: 'ResponseError',
      code: 'NOT_AN_EVENT_STREAM',
      message: `GET http://localhost/api${path} failed with ${status}: events() needs the content type text/event-stream: got ${received}. Return eventStream() from the route, or call get() instead.`,
    });
  });

  it.each([
    [{}, {}, 'text/event-stream'],
    [{ Accept: '*/*;version=2' }, {}, 'text/event-stream;version=2'],
    [{ accept: 'application/json; q=0.9; Version="2"' }, {}, 'text/event-stream;Version="2"'],
    [{ Accept: 'application/json, */*;q=0.9' }, {}, 'text/event-stream'],
    [
      { Accept: 'application/json;version=2, */*;version=1' },
      {},
      'text/event-stream;version=2, text/event-stream;version=1',
    ],
    [
      { Accept: '*/*;tags="a,b";q=0.5, */*' },
      {},
      'text/event-stream;tags="a,b", text/event-stream',
    ],
    [{ Accept: '*/*;version=2' }, { accept: '*/*;version=1' }, '*/*;version=1'],
  ])(
    'asks for an event stream, with the parameters of Accept: %j, %j',
    async (shared, own, sent) => {
      const opened: Request[] = [];
      const opening = createClient('http://localhost', {
        headers: shared,
        fetch: async (request) => {
          opened.push(request);
          return new Response('', { headers: { 'Content-Type': 'text/event-stream' } });
        },
      });
      expect(await Array.fromAsync(opening.events('/', { headers: own }))).toEqual([]);
      expect(opened.map(({ headers }) => headers.get('Accept'))).toEqual([sent]);
    },
  );

  it('closes the connection if the response is no event stream', async () => {
    const cancel = vi.fn();
    const body = new ReadableStream({ cancel });
    const stuck = createClient('http://localhost', { fetch: async () => new Response(body) });
    await expect(stuck.events('/').next()).rejects.toMatchObject({ status: 200 });
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('rejects with the problem of an error response', async () => {
    await expect(untyped.events('/users/0').next()).rejects.toMatchObject({ status: 404 });
  });
});

describe('the options', () => {
  it('ask a function for the headers of each request', async () => {
    const names = ['Ada', 'Grace'];
    const asking = createClient<Routes>('http://localhost', {
      ...inProcess,
      headers: async () => ({ 'X-Name': names.shift() ?? '' }),
    });
    expect((await asking.get('/api/users'))[0]?.name).toBe('Ada');
    expect((await asking.get('/api/users'))[0]?.name).toBe('Grace');
    const headers = { 'X-Name': 'Own' };
    expect((await asking.get('/api/users', { headers }))[0]?.name).toBe('Own');
  });

  it('end a call with a signal', async () => {
    const signal = AbortSignal.abort(new Error('left the page'));
    await expect(client.get('/api/users', { signal })).rejects.toThrow('left the page');
  });

  it('end a call with a signal while the function for the headers is pending', async () => {
    const send = vi.fn();
    const waiting = createClient('http://localhost', {
      fetch: send,
      headers: () => new Promise(() => undefined),
    });
    const aborting = new AbortController();
    const { signal } = aborting;
    const calls = [
      waiting.get('/', { signal }),
      waiting.send('GET', '/', { signal }),
      waiting.events('/', { signal }).next(),
    ];
    aborting.abort(new Error('left the page'));
    for (const call of calls) await expect(call).rejects.toThrow('left the page');
    expect(send).not.toHaveBeenCalled();
  });
});

let close = (): Promise<void> => Promise.resolve();
afterEach(() => close());

it('uses the global fetch', async () => {
  const server = await listen(app, 0);
  close = () => server.close();
  const overSocket = createClient<Routes>(`http://localhost:${server.port}`);
  expect((await overSocket.get('/api/users/:id', { params: { id: '7' } })).id).toBe('7');
});

it('does not compile with a wrong path, parameter or body', () => {
  const calls = () => [
    // @ts-expect-error: no such path
    client.get('/api/user/:id', { params: { id: '7' } }),
    // @ts-expect-error: no such method of this path
    client.delete('/api/users/:id', { params: { id: '7' } }),
    // @ts-expect-error: a parameter is missing
    client.get('/api/users/:id', { params: {} }),
    // @ts-expect-error: the parameters are missing
    client.get('/api/users/:id'),
    // @ts-expect-error: a member of the body has another name
    client.post('/api/users', { body: { fullName: 'Ada' } }),
    // @ts-expect-error: the body of a QUERY has another type
    client.query('/api/users', { body: { name: 7 } }),
    // @ts-expect-error: a query parameter has another type
    client.get('/api/users', { query: { page: 'two' } }),
  ];
  expect(calls).toBeTypeOf('function');
});

/** Routes as a generated file describes them. */
interface Generated {
  GET: {
    '/users': { query?: { page?: number }; received: { 200: readonly Person[] } };
    '/users/:id': {
      params: { id: string };
      headers?: { 'x-tenant'?: 'a' | 'b' };
      received: { 200: Person; 204: undefined };
      errors: { 404: readonly ['USER_NOT_FOUND']; 409: { message: string; code: number } };
    };
    '/any': {
      received: { 201: 'a'; 299: 'c'; '2XX': 'b' };
      errors: { 404: Other; '4XX': Other; default: Other };
    };
    '/events': { received: { 200: string }; events: EventMessage<'added', number> };
    '/lists': {
      query: {
        lists: readonly (readonly string[])[];
        objects?: readonly { readonly a: string }[] | undefined;
        mixed?: readonly (1 | null | { readonly a: string })[];
        gaps?: readonly (number | null)[] | undefined;
        any?: readonly unknown[];
        filter?: {
          readonly created: { readonly gte?: number };
          readonly tags?: readonly string[][];
        };
      };
      received: { 200: string };
    };
  };
  POST: { '/users': { body: { name: string }; received: { 201: Person } } };
}

interface Person {
  readonly id: string;
}

interface Other {
  readonly reason: string;
}

describe('a generated client', () => {
  const generated = createClient<Generated>('http://localhost/api', inProcess);

  it('has the bodies of responses under their names', async () => {
    const users = await generated.get('/users', { query: { page: 1 } });
    expectTypeOf(users).toEqualTypeOf<readonly Person[]>();
    expect(users[0]?.id).toBe('page=1');
    const options = { params: { id: '7' }, headers: { 'x-tenant': 'a', Accept: '*/*' } } as const;
    const user = await generated.get('/users/:id', options);
    expectTypeOf(user).toEqualTypeOf<Person | undefined>();
    expectTypeOf(generated.get<'/any'>).returns.resolves.toEqualTypeOf<'a' | 'b' | 'c'>();
  });

  it('takes only texts in the lists of a query', () => {
    type Query = Parameters<typeof generated.get<'/lists'>>[1]['query'];
    expectTypeOf<Query>().toEqualTypeOf<{
      lists: readonly string[];
      objects?: readonly string[] | undefined;
      mixed?: readonly (string | 1)[];
      gaps?: readonly number[] | undefined;
      any?: readonly unknown[];
      filter?: { readonly created: { readonly gte?: number }; readonly tags?: readonly string[] };
    }>();
    const calls = () => [
      // @ts-expect-error: a list of lists
      generated.get('/lists', { query: { lists: [['a']] } }),
      // @ts-expect-error: a list of objects
      generated.get('/lists', { query: { lists: [], objects: [{ a: '1' }] } }),
    ];
    expect(calls).toBeTypeOf('function');
  });

  it('has codes and other members of errors, by status', async () => {
    const result = await generated.send('GET', '/users/:id', { params: { id: '0' } });
    expect(result.ok).toBe(false);
    if (result.ok) expectTypeOf(result.status).toEqualTypeOf<200 | 204>();
    else if (result.status === 404) {
      expectTypeOf(result.problem.code).toEqualTypeOf<'USER_NOT_FOUND' | undefined>();
    } else if (result.status === 409) {
      expectTypeOf(result.problem.code).toEqualTypeOf<number>();
      expectTypeOf(result.problem.detail).toEqualTypeOf<string>();
    } else expectTypeOf(result.problem.code).toEqualTypeOf<string | undefined>();
  });

  it('knows the other statuses that a key of several stands for', () => {
    const send = () => generated.send('GET', '/any');
    type Answer = Awaited<ReturnType<typeof send>>;
    expectTypeOf<Extract<Answer, { ok: true; body: 'b' }>['status']>().toEqualTypeOf<
      200 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226
    >();
    expectTypeOf<Extract<Answer, { ok: false }>['problem']['reason']>().toEqualTypeOf<string>();
    expectTypeOf(generated.events<'/events'>).returns.toEqualTypeOf<
      AsyncGenerator<EventMessage<'added', number>, void, undefined>
    >();
    expect(send).toBeTypeOf('function');
  });

  it('does not compile with what a route does not have', () => {
    const calls = () => [
      // @ts-expect-error: no such path
      generated.get('/user'),
      // @ts-expect-error: the API has no route with this method
      generated.put('/users', { body: {} }),
      // @ts-expect-error: the parameters are missing
      generated.get('/users/:id'),
      // @ts-expect-error: the header has other values
      generated.get('/users/:id', { params: { id: '7' }, headers: { 'x-tenant': 'c' } }),
      // @ts-expect-error: the route has no query
      generated.get('/users/:id', { params: { id: '7' }, query: { page: 1 } }),
      // @ts-expect-error: a member of the body has another name
      generated.post('/users', { body: { fullName: 'Ada' } }),
    ];
    expect(calls).toBeTypeOf('function');
  });
});

describe('a request that is safe to repeat', () => {
  type Outcome = () => Response | Promise<Response>;
  const lost: Outcome = () => Promise.reject(new TypeError('fetch failed'));
  const busy =
    (status: number, after?: string): Outcome =>
    () =>
      new Response('{}', {
        status,
        ...(after !== undefined && { headers: { 'Retry-After': after } }),
      });
  const done: Outcome = () => Response.json({ done: true });

  /** A client whose requests have the given outcomes, in order. The last one is that of all further requests. */
  function open(outcomes: readonly [Outcome, ...Outcome[]], options: ClientOptions = {}) {
    const sent: Request[] = [];
    const fetch = async (request: Request): Promise<Response> => {
      sent.push(request);
      await request.clone().text();
      return (outcomes[sent.length - 1] ?? outcomes.at(-1) ?? done)();
    };
    return { sent, client: createClient('http://localhost', { ...options, fetch }) };
  }

  /** The waits are over at once, and summed up. */
  function skipWaits() {
    const waits: number[] = [];
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, delay = 0) => {
      waits.push(delay);
      queueMicrotask(callback);
    }) as typeof setTimeout);
    onTestFinished(() => void vi.restoreAllMocks());
    return waits;
  }

  it.each(['get', 'put', 'delete', 'query'] as const)(
    'is repeated after a connection that failed: %s',
    async (method) => {
      const waits = skipWaits();
      const { sent, client } = open([lost, lost, done]);
      expect(await client[method]('/')).toEqual({ done: true });
      expect(sent).toHaveLength(3);
      expect(waits[0]).toBeGreaterThanOrEqual(125);
      expect(waits[1]).toBeGreaterThanOrEqual(250);
      expect(Math.max(...waits)).toBeLessThanOrEqual(500);
    },
  );

  it.each([
    ['0', 0],
    ['3', 3_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('is repeated after 429 and 503 with Retry-After: %s', async (after, delay) => {
    const waits = skipWaits();
    const { sent, client } = open([busy(429, after), busy(503, after), done]);
    expect(await client.get('/')).toEqual({ done: true });
    expect(sent).toHaveLength(3);
    expect(waits).toEqual([delay, delay]);
  });

  it.each([
    ['has no Retry-After', busy(503)],
    ['has one that is no time', busy(503, 'soon')],
    ['asks for a long wait', busy(503, '11')],
    ['has another status', busy(500, '0')],
    ['is a conflict', busy(409, '0')],
  ])('is not repeated after a response that %s', async (_, outcome) => {
    const { sent, client } = open([outcome, done]);
    expect(await client.send('GET', '/')).toMatchObject({ ok: false });
    expect(sent).toHaveLength(1);
  });

  it('is repeated as often as retries says, and then has the last outcome', async () => {
    skipWaits();
    for (const [retries, count] of [
      [undefined, 3],
      [0, 1],
      [5, 6],
    ] as const) {
      const options = retries === undefined ? {} : { retries };
      const failing = open([lost], options);
      await expect(failing.client.get('/')).rejects.toThrow('fetch failed');
      const rejected = open([busy(503, '0')], options);
      await expect(rejected.client.get('/')).rejects.toMatchObject({ status: 503 });
      expect([failing.sent.length, rejected.sent.length]).toEqual([count, count]);
    }
  });

  it('is repeated if the connection fails during the response', async () => {
    skipWaits();
    const cut: Outcome = () => {
      const body = new ReadableStream({
        pull: (controller) => controller.error(new TypeError('terminated')),
      });
      return new Response(body, { headers: { 'Content-Type': 'application/json' } });
    };
    const { sent, client } = open([cut, done]);
    expect(await client.get('/')).toEqual({ done: true });
    expect(sent).toHaveLength(2);
  });

  it('is not repeated after another error, such as a body that is not JSON', async () => {
    const { sent, client } = open([
      () => new Response('{', { headers: { 'Content-Type': 'application/json' } }),
    ]);
    await expect(client.get('/')).rejects.toThrow(SyntaxError);
    expect(sent).toHaveLength(1);
  });

  it('waits no longer when its signal aborts', async () => {
    const controller = new AbortController();
    const { sent, client } = open([busy(503, '9')]);
    const call = client.get('/', { signal: controller.signal });
    await expect.poll(() => sent).toHaveLength(1);
    controller.abort(new Error('left'));
    await expect(call).rejects.toThrow('left');
    // The reason may look like a failed connection.
    const early = open([
      () => {
        throw new TypeError('gone');
      },
    ]);
    const aborting = new AbortController();
    const failing = early.client.get('/', {
      signal: aborting.signal,
      headers: {
        get 'X-Abort'() {
          aborting.abort(new TypeError('gone'));
          return '1';
        },
      },
    });
    await expect(failing).rejects.toThrow('gone');
    expect([sent.length, early.sent.length]).toEqual([1, 1]);
  });

  it('has new headers each time', async () => {
    skipWaits();
    let token = 0;
    const { sent, client } = open([lost, done], {
      headers: () => ({ Authorization: `Bearer ${++token}` }),
    });
    await client.get('/');
    expect(sent.map(({ headers }) => headers.get('Authorization'))).toEqual([
      'Bearer 1',
      'Bearer 2',
    ]);
  });

  const keysOf = (sent: readonly Request[]) =>
    sent.map(({ headers }) => headers.get('Idempotency-Key'));

  it.each(['post', 'patch'] as const)('is none of %s without a key', async (method) => {
    const { sent, client } = open([lost], { keyed: ['POST /orders', 'PATCH /orders'] });
    await expect(client[method]('/', { body: {} })).rejects.toThrow('fetch failed');
    expect(keysOf(sent)).toEqual([null]);
  });

  it('may be a request with a key, which is the same each time, and another one for each call', async () => {
    skipWaits();
    const { sent, client } = open([lost, busy(409, '1'), done, lost, done], {
      keyed: ['POST /orders/:id', 'PUT /orders'],
    });
    const call = () => client.post('orders/:id', { params: { id: 7 }, body: { item: 'tea' } });
    expect(await call()).toEqual({ done: true });
    expect(await call()).toEqual({ done: true });
    const [first, second, third, fourth, fifth] = keysOf(sent);
    expect(first).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
    expect(fifth).toBe(fourth);
    expect(await Promise.all(sent.map((one) => one.text()))).toEqual(
      sent.map(() => '{"item":"tea"}'),
    );
  });

  it('may have the key of the call', async () => {
    skipWaits();
    const { sent, client } = open([lost, done], { keyed: true });
    await client.post('/', { headers: { 'idempotency-key': 'mine' } });
    expect(keysOf(sent)).toEqual(['mine', 'mine']);
  });

  it('has a key for all routes of POST and PATCH with keyed: true', async () => {
    const { sent, client } = open([done], { keyed: true });
    for (const method of ['post', 'patch', 'put', 'get'] as const) await client[method]('/');
    expect(keysOf(sent).map((key) => key !== null)).toEqual([true, true, false, false]);
  });

  it('has a key on a page without TLS', async () => {
    const { getRandomValues } = crypto;
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { sent, client } = open([done], { keyed: true });
    await client.post('/');
    expect(keysOf(sent)).toEqual([expect.stringMatching(/^[\da-f]{32}$/)]);
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s retries', (retries) => {
    expect(() => createClient('http://localhost', { retries })).toThrow(
      `Cannot create a client with retries: ${retries}. Pass how often to repeat a request, such as 2, or 0 for never.`,
    );
  });

  it('is one of the routes that exist, as far as the compiler knows them', () => {
    const clients = () => [
      createClient<Routes>('http://localhost', { keyed: ['POST /api/users'] }),
      // @ts-expect-error: the path is another one
      createClient<Routes>('http://localhost', { keyed: ['POST /api/user'] }),
      createClient('http://localhost', { keyed: ['DELETE /any'] }),
      // @ts-expect-error: GET is safe without a key
      createClient('http://localhost', { keyed: ['GET /any'] }),
    ];
    expect(clients).toBeTypeOf('function');
  });
});
