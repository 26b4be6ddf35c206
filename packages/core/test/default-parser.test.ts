import { describe, expect, it } from 'vitest';
import { requireParsedBody } from '../src/extend.js';
import {
  content,
  createApp,
  createRouter,
  json,
  type Middleware,
  type StandardSchema,
  urlencoded,
} from '../src/index.js';

/** A schema that accepts everything but undefined. */
const schema: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      value === undefined ? { issues: [{ message: 'is required' }] } : { value },
  },
};
const echo: Middleware = ({ body }) => body;

function post(body: string, type = 'application/json'): RequestInit {
  return { method: 'POST', body, headers: { 'Content-Type': type } };
}

describe('a route that declares a body, without a parser before it', () => {
  const app = createApp().post('/', { body: schema }, echo);

  it('gets its JSON parsed as json() would', async () => {
    const response = await app.request('/', post('{"name":"Ada"}'));
    expect(await response.json()).toEqual({ name: 'Ada' });
    const problem = await app.request('/', post('{"a":1}', 'application/problem+json'));
    expect(await problem.json()).toEqual({ a: 1 });
  });

  it.each([
    ['malformed JSON', 400, 'MALFORMED_JSON', post('{')],
    ['a forbidden key', 400, 'FORBIDDEN_KEY', post('{"__proto__":{}}')],
    ['more than 1 MiB', 413, 'PAYLOAD_TOO_LARGE', post(`"${'a'.repeat(2 ** 20)}"`)],
    ['a charset', 415, 'UNSUPPORTED_CHARSET', post('{}', 'application/json; charset=utf-16')],
    ['another type', 415, 'UNSUPPORTED_MEDIA_TYPE', post('a=1', 'text/plain')],
    ['an empty body', 400, 'VALIDATION_FAILED', post('')],
  ])('refuses %s', async (_, status, code, init) => {
    const response = await app.request('/', init);
    expect([response.status, await response.json()]).toMatchObject([status, { code }]);
  });

  it('names JSON in Accept', async () => {
    const response = await app.request('/', post('a=1', 'text/plain'));
    expect(response.headers.get('Accept')).toBe('application/json');
  });

  it('is parsed after the middleware of the route, such as a check of the user', async () => {
    const read: unknown[] = [];
    const check: Middleware = (ctx, next) => {
      read.push(ctx.req.readableDidRead);
      return ctx.get('Authorization') === undefined ? ctx.json('who?') : next();
    };
    const guarded = createApp().post('/', { body: schema }, check, echo);
    expect(await (await guarded.request('/', post('{'))).json()).toBe('who?');
    expect(read).toEqual([false]);
  });

  it('works for QUERY, routers, and records of routes', async () => {
    const router = createRouter()
      .query('/', { body: schema }, echo)
      .define('/notes', (routes) => ({ add: routes.post('/', { body: schema }, echo) }));
    const mounted = createApp().route('/', router);
    const query = await mounted.request('/', { ...post('[1]'), method: 'QUERY' });
    expect(await query.json()).toEqual([1]);
    expect(await (await mounted.request('/notes', post('"Hi"'))).json()).toBe('Hi');
  });

  it('may check the body by itself', async () => {
    const inputs = [{ source: 'body', required: true }] as const;
    const own = createApp().post('/', { inputs }, async (ctx) => {
      await requireParsedBody(ctx);
      return ctx.body;
    });
    expect(await (await own.request('/', post('{"a":1}'))).json()).toEqual({ a: 1 });
  });
});

describe('the default parser leaves a body alone', () => {
  it.each<[string, Middleware]>([
    [
      'that middleware has set',
      (ctx, next) => {
        ctx.body = 'set';
        return next();
      },
    ],
    [
      'that middleware has read',
      async (ctx, next) => {
        for await (const _chunk of ctx.bodyStream());
        ctx.body = 'set';
        await next();
      },
    ],
  ])('%s', async (_, middleware) => {
    const app = createApp().use(middleware).post('/', { body: schema }, echo);
    expect(await (await app.request('/', post('{"a":1}'))).json()).toBe('set');
  });

  it.each([
    ['of the application', createApp().use(urlencoded()).post('/', { body: schema }, echo)],
    ['of the route', createApp().post('/', { body: schema }, urlencoded(), echo)],
    [
      'of the router',
      createApp().route('/', createRouter().use(urlencoded()).post('/', { body: schema }, echo)),
    ],
  ])('if the route has a parser %s', async (_, app) => {
    const response = await app.request('/', post('{"a":1}'));
    expect([response.status, response.headers.get('Accept')]).toEqual([
      415,
      'application/x-www-form-urlencoded',
    ]);
    const form = await app.request('/', post('a=1', 'application/x-www-form-urlencoded'));
    expect(await form.json()).toEqual({ a: '1' });
  });

  it('if the route declares none', async () => {
    const app = createApp().post('/', (ctx) => ctx.body);
    const response = await app.request('/', post('{"a":1}'));
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { code: 'BODY_NOT_READ' },
    ]);
  });

  it('but not if a parser is registered after the route', async () => {
    const app = createApp()
      .post('/', { body: content({ 'application/json': schema }) }, echo)
      .use(json({ limit: 1 }))
      .post('/other', echo);
    expect(await (await app.request('/', post('{"a":1}'))).json()).toEqual({ a: 1 });
  });
});
