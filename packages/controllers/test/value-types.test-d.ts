import type { Context, Middleware, Next } from '@fairlead/core';
import { all, type Lazy, lazy, optional, token } from '@fairlead/di';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type ControllerValue,
  defineController,
  discoverControllers,
  registerController,
} from '../src/index.js';

class Users {
  list(): { id: string; name: string }[] {
    return [];
  }
}

const User = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(['admin', 'guest']).optional(),
});
const Db = token<{ query(): number }>('Db');
const Page = z.object({ page: z.coerce.number<string>() });

const users = defineController('/teams/:team/users', {
  version: 'v2',
  inject: {
    users: Users,
    db: Db,
    later: lazy(() => Users),
    maybe: optional(Users),
    every: all(Users),
  },
  routes: ({ get, post, delete: remove }) => ({
    list: get('/', { query: Page, response: z.array(User) }, (ctx, instances) => {
      expectTypeOf(ctx.query).toEqualTypeOf<{ page: number }>();
      expectTypeOf(ctx.params).toEqualTypeOf<{ readonly team: string }>();
      expectTypeOf(instances.users).toEqualTypeOf<Users>();
      expectTypeOf(instances.db).toEqualTypeOf<{ query(): number }>();
      expectTypeOf(instances.later).toEqualTypeOf<Lazy<Users>>();
      expectTypeOf(instances.maybe).toEqualTypeOf<Users | undefined>();
      expectTypeOf(instances.every).toEqualTypeOf<Users[]>();
      return instances.users.list();
    }),
    create: post(
      '/',
      { body: User, response: User, status: 201, errors: { 409: ['NAME_TAKEN'], 410: [] } },
      async ({ body }) => ({ ...body, role: 'admin' }),
    ),
    both: post('/both', { response: { 201: User, 404: z.object({ gone: z.boolean() }) } }, () => ({
      gone: true,
    })),
    plain: get('/:id', ({ params }, { db }) => ({ id: params.id, count: db.query() })),
    state: get('/state', (ctx: Context<object, { user: string }>) => ctx.state.user),
    remove: remove('/:id', () => {}),
  }),
});

describe('defineController()', () => {
  it('has a contract of plain types', () => {
    type Contract = typeof users extends ControllerValue<infer Found> ? Found : never;
    type Routes = Contract['routes'];
    interface Sent {
      id: string;
      name: string;
      role?: 'admin' | 'guest' | undefined;
    }
    expectTypeOf<Contract['prefix']>().toEqualTypeOf<'/teams/:team/users'>();
    expectTypeOf<Contract['version']>().toEqualTypeOf<'v2'>();
    expectTypeOf<Routes['list']>().toEqualTypeOf<{
      readonly method: 'GET';
      readonly path: '/';
      readonly params: { readonly team: string };
      readonly query: { page: string };
      readonly body: unknown;
      readonly response: { readonly 200: Sent[] };
      readonly status: 200;
      readonly errors: unknown;
    }>();
    expectTypeOf<Routes['create']['body']>().toEqualTypeOf<Sent>();
    expectTypeOf<Routes['create']['response']>().toEqualTypeOf<{ readonly 201: Sent }>();
    expectTypeOf<Routes['create']['errors']>().toEqualTypeOf<{
      readonly 409: readonly ['NAME_TAKEN'];
      readonly 410: readonly [];
    }>();
    expectTypeOf<Routes['both']['response'][404]>().toEqualTypeOf<{ gone: boolean }>();
    expectTypeOf<Routes['both']['status']>().toEqualTypeOf<201 | 404>();
    expectTypeOf<Routes['plain']['response'][200]>().toEqualTypeOf<{ id: string; count: number }>();
    expectTypeOf<Routes['remove']['method']>().toEqualTypeOf<'DELETE'>();
  });

  it('adds to ctx.state what its middleware and that of its routes adds', () => {
    const signIn: Middleware<{ user: string }> = (ctx, next) => {
      ctx.state.user = 'Ada';
      return next();
    };
    const count: Middleware<{ visits: number }> = (_ctx, next) => next();
    class Audit {
      use(_ctx: Context, next: Next) {
        return next();
      }
    }
    defineController('/', {
      middleware: [signIn, Audit, (_ctx, next) => next()],
      inject: { users: Users },
      routes: ({ get }) => ({
        plain: get('/plain', ({ state }, { users }) => {
          expectTypeOf(state.user).toEqualTypeOf<string>();
          expectTypeOf(users).toEqualTypeOf<Users>();
          expectTypeOf(state.visits).toBeUnknown();
        }),
        both: get('/both', { middleware: [count, Audit], query: Page }, ({ state, query }) => {
          expectTypeOf(state.user).toEqualTypeOf<string>();
          expectTypeOf(state.visits).toEqualTypeOf<number>();
          return query.page;
        }),
        declared: get('/', { middleware: [count] }, (ctx: Context<object, { db: string }>) => {
          return ctx.state.db;
        }),
      }),
    });
    defineController('/', {
      routes: ({ get }) => ({
        none: get('/', ({ state }) => expectTypeOf(state.user).toBeUnknown()),
        one: get('/one', { middleware: [count] }, ({ state }) => state.visits.toFixed()),
      }),
    });
  });

  it('creates what other functions take as a class', () => {
    expectTypeOf(users).toExtend<Parameters<typeof registerController>[1]>();
    expectTypeOf(users).toExtend<
      Awaited<ReturnType<typeof discoverControllers>>[number]['controllers'][number]
    >();
  });

  it('rejects a result that the response schema does not produce, at its place', () => {
    defineController('/', {
      routes: ({ get }) => ({
        // @ts-expect-error the id is a number
        one: get('/one', { response: User }, () => ({ id: 1, name: '' })),
        // @ts-expect-error the name is missing
        two: get('/two', { response: User }, async () => ({ id: '' })),
        // @ts-expect-error there is no such role
        three: get('/three', { response: User }, () => ({ id: '', name: '', role: 'owner' })),
        // @ts-expect-error the body has another type
        four: get('/four', { response: User }, (ctx) => void ctx.json({ id: '' })),
        text: get('/text', { response: User }, () => new Response('text')),
      }),
    });
  });

  it('rejects unknown options, parameters and instances', () => {
    defineController('/', {
      inject: { users: Users },
      routes: ({ get }) => ({
        // @ts-expect-error the option is misspelled
        one: get('/one', { gaurds: [] }, () => 1),
        // @ts-expect-error the pattern has no such parameter
        two: get('/:id', ({ params }) => params.name),
        // @ts-expect-error nothing injects it
        three: get('/three', (_ctx, { db }) => db),
        // @ts-expect-error it is not a route
        four: () => 1,
      }),
    });
  });

  it('rejects misspelled options beside others, at their place', () => {
    defineController('/', {
      routes: ({ post, on }) => ({
        one: post(
          '/one',
          {
            body: User,
            // @ts-expect-error the option is called errors
            error: [404],
          },
          ({ body }) => body.name,
        ),
        two: on(
          ['PUT'],
          '/two',
          {
            body: User,
            // @ts-expect-error the option is called status
            statsu: 201,
          },
          ({ body }) => body.name,
        ),
      }),
    });
  });

  it('accepts other members of a variable, and other keywords of a JSON Schema', () => {
    const options = { body: User, feature: 'users' };
    defineController('/', {
      routes: ({ post, get }) => ({
        one: post('/one', options, ({ body }) => expectTypeOf(body.id).toEqualTypeOf<string>()),
        two: get('/two', { response: { type: 'object', 'x-name': 'a' } }, () => ({})),
      }),
    });
  });

  it('gives functions among the options their types', () => {
    defineController('/', {
      routes: ({ get }) => ({
        one: get(
          '/one',
          {
            query: Page,
            guards: [(ctx) => expectTypeOf(ctx.path).toEqualTypeOf<string>()],
            middleware: [(_ctx, next) => next()],
          },
          ({ query }) => expectTypeOf(query).toEqualTypeOf<{ page: number }>(),
        ),
      }),
    });
  });

  it('rejects controllers without routes, and dependencies that are not tokens', () => {
    // @ts-expect-error a controller has routes
    defineController('/', {});
    // @ts-expect-error a number is not a token
    defineController('/', { inject: { users: 1 }, routes: () => ({}) });
  });
});
