import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { createApp, createRouter, type Middleware } from '../src/index.js';

const User = z.object({ id: z.string(), role: z.enum(['admin', 'guest']) });
const Page = z.object({ page: z.coerce.number<string>() });
const signIn: Middleware<{ user: string }> = (_ctx, next) => next();
const start: Middleware<{ at: number }> = (_ctx, next) => next();

const users = createRouter()
  .use(signIn)
  .define('/teams/:team/users', ({ get, post, query, delete: remove }) => ({
    list: get('/', { query: Page, response: z.array(User) }, (ctx) => {
      expectTypeOf(ctx.query).toEqualTypeOf<{ page: number }>();
      expectTypeOf(ctx.params).toEqualTypeOf<{ readonly team: string }>();
      expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
      return [];
    }),
    find: get('/:id', { response: User, errors: { 404: ['USER_NOT_FOUND'] } }, () => ({
      id: '1',
      role: 'admin',
    })),
    create: post('/', { body: User, response: { 201: User } }, start, (ctx) => {
      expectTypeOf(ctx.state.at).toEqualTypeOf<number>();
      expectTypeOf(ctx.state.user).toEqualTypeOf<string>();
      return ctx.body;
    }),
    search: query('/', { body: Page, response: z.array(User) }, ({ body }) => {
      expectTypeOf(body).toEqualTypeOf<{ page: number }>();
      return [];
    }),
    plain: get('/:id/plain', async ({ params, state }) => ({ id: params.id, by: state.user })),
    started: get('/started', start, ({ state }) => state.at),
    remove: remove('/:id', () => {}),
  }));

it('has a contract of plain types', () => {
  type Contract = NonNullable<(typeof users)['~contract']>;
  type Routes = Contract['routes'];
  interface Sent {
    id: string;
    role: 'admin' | 'guest';
  }
  expectTypeOf<Contract['prefix']>().toEqualTypeOf<'/teams/:team/users'>();
  expectTypeOf<Routes['find']>().toEqualTypeOf<{
    readonly method: 'GET';
    readonly path: '/:id';
    readonly params: { readonly id: string; readonly team: string };
    readonly query: Readonly<Record<string, string | undefined>>;
    readonly body: unknown;
    readonly response: { readonly 200: Sent };
    readonly status: 200;
    readonly errors: { readonly 404: readonly ['USER_NOT_FOUND'] };
  }>();
  expectTypeOf<Routes['list']['query']>().toEqualTypeOf<{ page: string }>();
  expectTypeOf<Routes['create']['body']>().toEqualTypeOf<Sent>();
  expectTypeOf<Routes['create']['response']>().toEqualTypeOf<{ readonly 201: Sent }>();
  expectTypeOf<Routes['plain']['response'][200]>().toEqualTypeOf<{ id: string; by: string }>();
  expectTypeOf<Routes['started']['response'][200]>().toEqualTypeOf<number>();
  expectTypeOf<Routes['remove']['method']>().toEqualTypeOf<'DELETE'>();
  expectTypeOf<Routes['search']['method']>().toEqualTypeOf<'QUERY'>();
  expectTypeOf<Routes['search']['body']>().toEqualTypeOf<{ page: string }>();
});

it('has the codes of a constant with `as const`', () => {
  const errors = { 404: ['USER_NOT_FOUND', 'USER_LEFT'], 409: [] } as const;
  const router = createRouter().define('/', ({ get }) => ({ find: get('/', { errors }, () => 1) }));
  type Contract = NonNullable<(typeof router)['~contract']>['routes']['find'];
  expectTypeOf<Contract['errors']>().toEqualTypeOf<{
    readonly 404: readonly ['USER_NOT_FOUND', 'USER_LEFT'];
    readonly 409: readonly [];
  }>();
});

it('has a contract for each path of a route', () => {
  const posts = createRouter().define('/posts', ({ get, on }) => ({
    list: get('/:year?', ({ params }) => params.year ?? 'all'),
    find: get(['/:year/:id', '/:id.json'], { response: User }, () => ({ id: '1', role: 'admin' })),
    save: on(['PUT', 'PATCH'], '/:id', { body: User }, ({ body }) => body.id),
    seen: on('PUT', '/seen', () => true),
  }));
  type Routes = NonNullable<(typeof posts)['~contract']>['routes'];
  type At<Path, Route extends { readonly path: string }> = Extract<Route, { readonly path: Path }>;
  expectTypeOf<Routes['list']['path']>().toEqualTypeOf<'' | '/:year'>();
  expectTypeOf<At<'', Routes['list']>['params']>().toEqualTypeOf<Record<never, string>>();
  expectTypeOf<At<'/:year', Routes['list']>['params']>().toEqualTypeOf<{
    readonly year: string;
  }>();
  expectTypeOf<At<'/:year/:id', Routes['find']>['params']>().toEqualTypeOf<{
    readonly year: string;
    readonly id: string;
  }>();
  expectTypeOf<At<'/:id.json', Routes['find']>['params']>().toEqualTypeOf<{
    readonly id: string;
  }>();
  expectTypeOf<Routes['save']['method']>().toEqualTypeOf<'PUT' | 'PATCH'>();
  expectTypeOf<Routes['seen']['response']>().toEqualTypeOf<{ readonly 200: boolean }>();
});

it('has the types of its last define()', () => {
  const twice = createRouter()
    .define('/a', ({ get }) => ({ first: get('/', () => 1) }))
    .define('/b', ({ get }) => ({ second: get('/', () => 2) }));
  type Routes = NonNullable<(typeof twice)['~contract']>['routes'];
  expectTypeOf<keyof Routes>().toEqualTypeOf<'second'>();
});

it('is a router', () => {
  createApp().use(signIn).route('/', users);
  users.get('/more', ({ state }) => state.user);
});

it('rejects wrong results, options, parameters and routes at their places', () => {
  createRouter().define('/', ({ get }) => ({
    // @ts-expect-error the id is a number
    one: get('/one', { response: User }, () => ({ id: 1, role: 'admin' })),
    // @ts-expect-error there is no such role
    two: get('/two', { response: User }, () => ({ id: '', role: 'owner' })),
    // @ts-expect-error the pattern has no such parameter
    three: get('/:id', ({ params }) => params.name),
    // @ts-expect-error the option is misspelled
    four: get('/four', { respones: User }, () => 1),
    // @ts-expect-error it is not a route
    five: () => 1,
  }));
});
