import 'reflect-metadata';
import { setImmediate } from 'node:timers/promises';
import {
  type CallOptions,
  type ClientOf,
  createClient,
  type EventMessage,
  type EventOf,
  type Success,
} from '@fairlead/client';
import { controllersPlugin, defineController } from '@fairlead/controllers';
import {
  content,
  createApp,
  createRouter,
  errorHandler,
  json,
  listen,
  NotFoundError,
  raw,
  text,
} from '@fairlead/core';
import { createVersions } from '@fairlead/core/versions';
import { eventStream } from '@fairlead/middleware';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';

interface Job {
  readonly id: string;
  readonly startedAt: Date;
}

const released = Promise.withResolvers<void>();

async function* watchJobs(id: string, last: string | undefined) {
  yield { event: 'started', id: '1', data: { id, startedAt: new Date(0) } as Job } as const;
  yield { event: 'progress', id: '2', data: { percent: 50, last } } as const;
  yield { data: [id] } as const;
  yield { event: 'log', data: '{"text":true}' } as const;
}

async function* watchForever() {
  try {
    for (let tick = 0; ; tick += 1) {
      yield { data: { tick } };
      await setImmediate();
    }
  } finally {
    released.resolve();
  }
}

const jobs = defineController('/jobs', {
  routes: ({ get }) => ({
    watch: get('/:id/events', (ctx) =>
      eventStream(watchJobs(ctx.params.id, ctx.get('Last-Event-ID'))),
    ),
    ticks: get('/ticks', async () => eventStream(watchForever())),
    find: get('/:id', ({ params }) => ({ id: params.id })),
  }),
});

type Api = ClientOf<[typeof jobs], '/api'>;

async function connect() {
  const router = createRouter();
  const app = createApp().use(errorHandler());
  await app.plugin(controllersPlugin({ router, prefix: '/api', controllers: [jobs] }));
  const server = await listen(app.route('/', router), 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  return createClient<Api>(server.url);
}

describe('events() of a client', () => {
  it('yields what the generator of the route yields, as JSON', async () => {
    const client = await connect();
    const headers = { 'Last-Event-ID': '7' };
    const events = client.events('/api/jobs/:id/events', { params: { id: 'a' }, headers });
    const shown: unknown[] = [];
    for await (const event of events) {
      if (event.event === 'started') {
        expectTypeOf(event.data.startedAt).toEqualTypeOf<string>();
        shown.push(event.data.startedAt.slice(0, 4), event.id);
      } else if (event.event === 'progress') {
        shown.push(event.data.percent + 1, event.data.last);
      } else if (event.event === 'message') {
        expectTypeOf(event.data).toEqualTypeOf<readonly [string]>();
        shown.push(event.data[0]);
      } else {
        expectTypeOf(event).toEqualTypeOf<EventMessage<'log', '{"text":true}'>>();
        shown.push(event.data);
      }
    }
    expect(shown).toEqual(['1970', '1', 51, '7', 'a', '{"text":true}']);
  });

  it('keeps text, also text that may be JSON', async () => {
    const texts = ['1.10', 'true', '{"a":1}', '"x"', ' null', 'plain', '-', '[1]\n2', ''];
    async function* watch() {
      for (const data of texts) yield { data };
      yield { data: { price: 1.1 } };
      yield { data: 1.5 };
    }
    const app = createApp().get('/', () => eventStream(watch()));
    const client = createClient('http://localhost', { fetch: (request) => app.fetch(request) });
    const received: unknown[] = [];
    for await (const { data } of client.events('/')) received.push(data);
    expect(received).toEqual([...texts, { price: 1.1 }, 1.5]);
  });

  it('ends the stream on the server when the loop is left', async () => {
    const client = await connect();
    for await (const { data } of client.events('/api/jobs/ticks')) {
      expectTypeOf(data).toEqualTypeOf<{ readonly tick: number }>();
      if (data.tick === 2) break;
    }
    await expect(released.promise).resolves.toBeUndefined();
  });

  it('does not know the events of a route without an event stream', () => {
    const events = () => createClient<Api>('').events('/api/jobs/:id', { params: { id: 'a' } });
    expectTypeOf(events).returns.toEqualTypeOf<AsyncGenerator<EventMessage, void, undefined>>();
    expect(events).toBeTypeOf('function');
  });
});

const User = z.object({ id: z.string(), name: z.string() });

const errors = { 404: ['USER_NOT_FOUND', 'USER_LEFT'], 409: [] } as const;

const users = createRouter().define('/users', ({ get, post }) => ({
  find: get('/:id', { response: User, errors }, ({ params }) => {
    if (params.id === '0') throw new NotFoundError('No such user', { code: 'USER_NOT_FOUND' });
    return { id: params.id, name: 'Ada' };
  }),
  create: post('/', { body: User.pick({ name: true }), response: { 201: User } }, ({ body }) => ({
    id: '2',
    ...body,
  })),
}));

const health = createRouter().define('/', ({ get }) => ({ health: get('/health', () => 'ok') }));

describe('a client of functions', () => {
  it('calls the routes of a record, with its types and codes', async () => {
    const app = createApp().use(errorHandler(), json()).route('/api', users).route('/api', health);
    const server = await listen(app, 0);
    onTestFinished(() => server.close({ timeout: 0 }));
    const client = createClient<ClientOf<[typeof users, typeof health], '/api'>>(server.url);

    const user = await client.get('/api/users/:id', { params: { id: '7' } });
    expectTypeOf(user).toEqualTypeOf<{ readonly id: string; readonly name: string }>();
    expect(user).toEqual({ id: '7', name: 'Ada' });
    const created = await client.post('/api/users', { body: { name: 'Grace' } });
    expect(created.id).toBe('2');
    expect(await client.get('/api/health')).toBe('ok');

    const result = await client.send('GET', '/api/users/:id', { params: { id: '0' } });
    if (result.ok || result.status !== 404) throw new Error('unexpected');
    expectTypeOf(result.problem.code).toEqualTypeOf<'USER_NOT_FOUND' | 'USER_LEFT' | undefined>();
    expect(result.problem.code).toBe('USER_NOT_FOUND');
  });

  it('takes a body unless the schema accepts none', async () => {
    const Draft = z.object({ title: z.string(), done: z.boolean() }).partial();
    const drafts = createRouter().define('/drafts', ({ patch, query }) => ({
      search: query('/', { body: Draft.optional() }, ({ body }) => body ?? 'all'),
      change: patch('/:id', { body: Draft }, ({ body }) => body),
      touch: patch('/:id/touched', { body: Draft.optional() }, ({ body }) => body ?? 'none'),
      note: patch('/:id/note', { body: z.unknown() }, ({ body }) => body ?? 'none'),
    }));
    const app = createApp().use(errorHandler()).route('/', drafts);
    const client = createClient<ClientOf<[typeof drafts]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    const params = { id: '1' };
    // @ts-expect-error: the body is missing
    expect(await client.send('PATCH', '/drafts/:id', { params })).toMatchObject({ status: 400 });
    expect(await client.patch('/drafts/:id', { params, body: {} })).toEqual({});
    expect(await client.patch('/drafts/:id/touched', { params })).toBe('none');
    expect(await client.patch('/drafts/:id/note', { params })).toBe('none');
    expect(await client.query('/drafts')).toBe('all');
    expect(await client.query('/drafts', { body: { done: true } })).toEqual({ done: true });
  });

  it('takes a body of another type than JSON unless its schema accepts none', async () => {
    const note = z.string().optional();
    const files = createRouter().define('/files', ({ post }) => ({
      image: post('/image', { body: content('image/png') }, () => 'ok'),
      table: post('/table', { body: content({ 'text/csv': {} }) }, () => 'ok'),
      json: post('/json', { body: content({ 'application/json': {} }) }, () => 'ok'),
      note: post('/note', { body: content({ 'text/plain': note }) }, ({ body }) => body ?? 'none'),
      both: post(
        '/both',
        { body: content({ 'text/plain': note, 'application/json': User }) },
        () => 'ok',
      ),
    }));
    const app = createApp()
      .use(json(), text(), raw({ type: 'image/png' }))
      .route('/', files);
    const client = createClient<ClientOf<[typeof files]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    const incomplete = [
      // @ts-expect-error: the body is missing
      client.send('POST', '/files/image'),
      // @ts-expect-error: the body is missing
      client.send('POST', '/files/table'),
      // @ts-expect-error: the body is missing
      client.send('POST', '/files/json'),
      // @ts-expect-error: the body is missing
      client.send('POST', '/files/both'),
    ];
    for (const result of await Promise.all(incomplete)) expect(result.status).toBe(400);
    expect(await client.post('/files/note')).toBe('none');
    const csv = { 'Content-Type': 'text/csv' };
    const png = { 'Content-Type': 'image/png' };
    expect(await client.post('/files/image', { headers: png, body: new Uint8Array(1) })).toBe('ok');
    expect(await client.post('/files/table', { headers: csv, body: 'a,b' })).toBe('ok');
    for (const body of [null, 7, {}]) expect(await client.post('/files/json', { body })).toBe('ok');
  });

  it('takes no query that text cannot carry', () => {
    const one = z.object({ id: z.string() });
    const query = z.object({
      tags: z.array(z.string()),
      since: z.date().optional(),
      filter: z.object({ ids: z.array(z.number()).optional(), deep: one }),
      rows: z.array(one),
    });
    const notes = createRouter().define('/', ({ get }) => ({
      list: get('/', { query }, () => []),
    }));
    type Query = NonNullable<CallOptions<ClientOf<[typeof notes]>['GET']['/']>['query']>;
    expectTypeOf<Query>().toEqualTypeOf<{
      tags: string[];
      since?: Date | undefined;
      filter: { ids?: number[] | undefined; deep: never };
      rows: never;
    }>();
    const app = createApp().route('/', notes);
    expect(() => app.seal()).toThrow(/'filter\[deep\]' is an object within an object/);
    expect(() => app.seal()).toThrow(/'rows' is a list of objects/);
  });

  it('takes from a schema what a client may pass', () => {
    const query = z.object({ any: z.coerce.number(), page: z.coerce.number<number>() });
    const headers = z.object({ 'x-tenant': z.string() });
    const notes = createRouter().define('/notes', ({ get }) => ({
      list: get('/', { query, headers }, () => []),
    }));
    type Options = CallOptions<ClientOf<[typeof notes]>['GET']['/notes']>;
    expectTypeOf<Options['query']>().toEqualTypeOf<{ any: unknown; page: number }>();
    expectTypeOf<Options['headers']>().toEqualTypeOf<
      Readonly<Record<string, string>> | undefined
    >();
    expect(notes.routes).toHaveLength(1);
  });

  it('receives undefined for a response without a body', async () => {
    const notes = createRouter().define('/notes', ({ get, post, delete: remove }) => ({
      find: get('/:id', { response: { 200: User, 204: content(null) } }, (ctx) => {
        if (ctx.params.id !== '0') return { id: ctx.params.id, name: 'Ada' };
        ctx.status = 204;
        return undefined;
      }),
      touch: post('/:id', { response: content(null) }, (ctx) => {
        ctx.status = 200;
      }),
      empty: post('/:id/empty', { status: 205 }, () => ({ ignored: true })),
      remove: remove('/:id', { status: 204 }, () => undefined),
      leave: remove('/', { status: 204, response: { 404: User } }, () => undefined),
    }));
    const app = createApp().route('/', notes);
    const client = createClient<ClientOf<[typeof notes]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    const params = { id: '1' };
    const found = await client.get('/notes/:id', { params });
    expectTypeOf(found).toEqualTypeOf<{ readonly id: string; readonly name: string } | undefined>();
    expect(found).toEqual({ id: '1', name: 'Ada' });
    expect(await client.get('/notes/:id', { params: { id: '0' } })).toBeUndefined();
    const empty = [
      await client.post('/notes/:id', { params }),
      await client.post('/notes/:id/empty', { params }),
      await client.delete('/notes/:id', { params }),
      await client.delete('/notes'),
    ];
    expectTypeOf(empty).toEqualTypeOf<undefined[]>();
    expect(empty).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('receives what the handler returns if a route describes only errors', async () => {
    const response = { 404: z.object({ reason: z.string() }) };
    const notes = createRouter().define('/notes', ({ get, post }) => ({
      count: get('/', { response }, () => ({ count: 1 + 1 })),
      add: post('/', { response, status: 201 }, () => ({ id: String(7) })),
    }));
    const app = createApp().route('/', notes);
    const client = createClient<ClientOf<[typeof notes]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    const counted = await client.get('/notes');
    expectTypeOf(counted).toEqualTypeOf<{ readonly count: number }>();
    expect(counted).toEqual({ count: 2 });
    const added = await client.send('POST', '/notes');
    if (!added.ok) throw new Error('unexpected');
    expectTypeOf(added.status).toEqualTypeOf<201>();
    expectTypeOf(added.body).toEqualTypeOf<{ readonly id: string }>();
    expect([added.status, added.body]).toEqual([201, { id: '7' }]);
  });

  it('does not know what a handler sends through the context', async () => {
    async function* watch() {
      yield { data: 1 };
    }
    const sent = createRouter().define('/', ({ get }) => ({
      json: get('/json', (ctx) => ctx.json({ a: 1 })),
      later: get('/later', async (ctx) => {
        ctx.json({ a: 1 });
      }),
      web: get('/web', () => Response.json({ a: 1 })),
      one: get('/one', (ctx) => (ctx.get('X-Other') ? { b: 2 } : ctx.json({ a: 1 }))),
      some: get('/some', (ctx) => {
        if (ctx.get('X-Empty') === undefined) return { b: 2 };
        ctx.status = 204;
        return undefined;
      }),
      events: get('/events', (ctx) => {
        if (ctx.get('X-Empty') === undefined) return eventStream(watch());
        ctx.status = 204;
        return undefined;
      }),
    }));
    type Routes = ClientOf<[typeof sent]>['GET'];
    expectTypeOf<Success<Routes['/json']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/later']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/web']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/one']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/some']>>().toEqualTypeOf<{ readonly b: number } | undefined>();
    expectTypeOf<EventOf<Routes['/events']>>().toEqualTypeOf<EventMessage<'message', number>>();
    const app = createApp().route('/', sent);
    const client = createClient<ClientOf<[typeof sent]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    for (const path of ['/json', '/later', '/web', '/one'] as const)
      expect(await client.get(path)).toEqual({ a: 1 });
    expect(await client.get('/some', { headers: { 'X-Empty': '1' } })).toBeUndefined();
  });

  it('does not know what arrives of bytes and streams', async () => {
    async function* write() {
      yield 'a,b';
    }
    const sent = createRouter().define('/', ({ get }) => ({
      bytes: get('/bytes', () => Buffer.from([1, 2])),
      blob: get('/blob', async () => new Blob(['a'])),
      csv: get('/csv', (ctx) => {
        ctx.set('Content-Type', 'text/csv');
        return write();
      }),
      text: get('/text', () => 'a'),
    }));
    type Routes = ClientOf<[typeof sent]>['GET'];
    expectTypeOf<Success<Routes['/bytes']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/blob']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/csv']>>().toBeUnknown();
    expectTypeOf<Success<Routes['/text']>>().toBeString();
    const app = createApp().route('/', sent);
    const client = createClient<ClientOf<[typeof sent]>>('http://localhost', {
      fetch: (request) => app.fetch(request),
    });
    expect(await client.get('/bytes')).toBeInstanceOf(Blob);
    expect(await client.get('/blob')).toBeInstanceOf(Blob);
    expect(await client.get('/csv')).toBe('a,b');
    expect(await client.get('/text')).toBe('a');
  });

  it('does not compile with a router that declares no record', () => {
    const plain = createRouter().get('/', () => 1);
    // @ts-expect-error: it has no contract
    type Plain = ClientOf<[typeof plain]>;
    expectTypeOf<Plain>().not.toBeAny();
    expect(plain.routes).toHaveLength(1);
  });
});

it('calls the controllers of the version that its headers name', async () => {
  const first = defineController('/users', {
    version: '1',
    routes: ({ get }) => ({ list: get('/', () => ['Ada']) }),
  });
  const second = defineController('/users', {
    version: '2',
    routes: ({ get }) => ({ list: get('/', () => [{ name: 'Ada' }]) }),
  });
  const router = createRouter();
  const app = createApp({ versions: createVersions({ header: 'X-Api-Version', default: '1' }) });
  await app.plugin(controllersPlugin({ router, controllers: [first, second] }));
  app.route('/', router);
  const client = createClient<ClientOf<[typeof second], '', 'request'>>('http://localhost', {
    headers: { 'X-Api-Version': '2' },
    fetch: (request) => app.fetch(request),
  });
  const users = await client.get('/users');
  expectTypeOf(users).toEqualTypeOf<readonly { readonly name: string }[]>();
  expect(users).toEqual([{ name: 'Ada' }]);
  const initial = createClient<ClientOf<[typeof first], '', 'request'>>('http://localhost', {
    fetch: (request) => app.fetch(request),
  });
  expect(await initial.get('/users')).toEqual(['Ada']);
});

it('reads the event stream of the version that its Accept names', async () => {
  async function* watch(version: number) {
    yield { data: { version } };
  }
  const first = createRouter().define('/ticks', ({ get }) => ({
    watch: get('/', { version: '1' }, () => eventStream(watch(1))),
  }));
  const second = createRouter().define('/ticks', ({ get }) => ({
    watch: get('/', { version: '2' }, () => eventStream(watch(2))),
  }));
  for (const options of [{}, { default: '1' }]) {
    const versions = createVersions({ parameter: 'version', ...options });
    const app = createApp({ versions }).route('/', first).route('/', second);
    const client = createClient<ClientOf<[typeof second], '', 'request'>>('http://localhost', {
      headers: { Accept: '*/*;version=2' },
      fetch: (request) => app.fetch(request),
    });
    const received: unknown[] = [];
    for await (const { data } of client.events('/ticks')) received.push(data.version);
    expect(received).toEqual([2]);
  }
});
