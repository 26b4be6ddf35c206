import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createApp,
  createRouter,
  errorHandler,
  intended,
  json,
  listen,
  type Middleware,
  type RouteBuilders,
  type State,
} from '../src/index.js';
import { start } from './support/start.js';

const signIn: Middleware<{ user: string }> = (ctx, next) => {
  ctx.state.user = ctx.get('X-User') ?? 'nobody';
  return next();
};

const posts = createRouter()
  .use(signIn)
  .define('/users/:user/posts', ({ get, post }) => ({
    list: get('/', ({ params, state }) => ({ owner: params.user, reader: state.user })),
    find: get('/:id', { params: z.object({ user: z.string(), id: z.coerce.number() }) }, (ctx) => ({
      ...ctx.params,
    })),
    create: post('/', { body: z.object({ title: z.string() }) }, signIn, (ctx) => {
      ctx.status = 201;
      return { ...ctx.body, writer: ctx.state.user };
    }),
  }))
  .get('/health', () => 'ok');

it('registers the routes of a record below their prefix', async () => {
  const app = createApp().use(errorHandler(), json()).route('/api', posts);
  const server = await listen(app, 0);
  const body = async (path: string, init?: RequestInit) =>
    (await fetch(`${server.url}/api${path}`, init)).json();
  const headers = { 'X-User': 'ada', 'Content-Type': 'application/json' };

  expect(await body('/users/1/posts', { headers })).toEqual({ owner: '1', reader: 'ada' });
  expect(await body('/users/1/posts/7')).toEqual({ user: '1', id: 7 });
  expect(await body('/users/1/posts/x')).toMatchObject({ code: 'VALIDATION_FAILED' });
  const init = { method: 'POST', headers, body: '{"title":"Hi"}' };
  expect(await body('/users/1/posts', init)).toEqual({ title: 'Hi', writer: 'ada' });
  expect(await body('/health')).toBe('ok');
  await server.close();
});

it.each<[unknown, string]>([
  [1, 'cannot use 1 as routes.'],
  [() => undefined, 'cannot use undefined as the result of routes.'],
  [({ get }: RouteBuilders<object, State>) => get('/', () => 1), 'as the result of routes.'],
  [() => ({ list: () => 1 }), 'cannot use the function list as list.'],
])('refuses %o instead of a record of routes', (routes, problem) => {
  const define = () => start(createRouter().define('/users', routes as () => Record<never, never>));
  expect(define).toThrow(problem);
  expect(define).toThrow("router.define('/users') cannot use");
});

it('registers and refuses routes and prefixes like the other methods', () => {
  const router = createRouter({ strict: true });
  router.define('/a', ({ get }) => ({ b: get('/b/', () => 1) }));
  expect(router.routes).toMatchObject([{ method: 'GET', pattern: '/a/b/' }]);

  expect(() => start(createRouter().define('/*rest', () => ({})))).toThrow('/*rest');
  expect(() => start(createRouter().define(1 as never, () => ({})))).toThrow("'/users'");
  const twice = createRouter().define('/c', ({ get }) => ({ d: get('/:id/:id', () => 1) }));
  expect(() => start(twice)).toThrow('/:id/:id');
  createApp().route('/', router).routes();
});

describe('a route that is created, but not returned', () => {
  const unreturned = () =>
    createRouter().define('/users', ({ get, on }) => {
      on(['PUT', 'PATCH'], '/:id', () => 'forgotten');
      return { list: get(['/', '/all'], () => []) };
    });
  it('causes a warning', () => {
    const warning = expect.stringMatching(
      /^The routes of router\.define\('\/users'\) create 2 routes, but return 1, so clients do not know the others\. Return all of them by name, or pass the router to intended\(\)\.\n {2}At: test\/define\.test\.ts:/,
    );
    expect(warningsOf(createApp().route('/', unreturned()))).toEqual([warning]);
    const outer = createRouter().route('/v1', unreturned());
    expect(warningsOf(createApp().route('/api', outer))).toEqual([warning]);
  });

  it('causes none if the router is intended, or all routes are returned', () => {
    expect(warningsOf(createApp().route('/', intended(unreturned())))).toEqual([]);
    const twice = createRouter().define('/users', ({ get }) => {
      const list = get('/', () => []);
      return { list, all: list };
    });
    expect(warningsOf(createApp().route('/', twice).route('/api', posts))).toEqual([]);
  });
});
