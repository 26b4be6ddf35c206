import {
  Body,
  createRouteMetadata,
  defineController,
  HttpCode,
  Redirect,
  SetHeader,
  type ValueRoute,
} from '@fairlead/controllers';
import { createContainer, lazy, Service, token } from '@fairlead/di';
import { requireRole } from '@fairlead/jwt';
import { Roles as JwtRoles, jwtGuard, Public } from '@fairlead/jwt/controllers';
import { z } from 'zod';
import { serveControllers } from '../src/applications.js';
import { writeFiles } from '../src/files.js';
import { area } from '../src/mistake.js';

const mistake = area('Controllers as values');

const User = z.object({ name: z.string() });
const Db = token<{ query(): string }>('Db');
const signedIn = () => true;
const Roles = createRouteMetadata<string>('Roles', { guard: signedIn });

class Accounts {
  list() {
    return ['Ada'];
  }
}

@Service({ scope: 'request' })
class Visit {}

class DenyGuard {
  canActivate() {
    return false;
  }
}

mistake(
  '`defineController({ routes })` without a prefix',
  { compiler: 'arguments', startup: 'cannot use an object as prefix' },
  () =>
    serveControllers([defineController({ routes: ({ get }) => ({ list: get('/', () => 1) }) })]),
);

mistake(
  '`defineController(prefix, { gaurds })`',
  { compiler: "'gaurds'", startup: "Did you mean 'guards'?" },
  () =>
    serveControllers([
      defineController('/', {
        gaurds: [signedIn],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake('no route', { startup: 'has no routes' }, () =>
  serveControllers([defineController('/', { routes: () => ({}) })]),
);

mistake(
  'a function instead of a route',
  { compiler: 'ValueRoute', startup: 'create it with get()' },
  () => serveControllers([defineController('/', { routes: () => ({ list: () => 1 }) })]),
);

mistake(
  '`get(path, options)` without a handler',
  { compiler: "'status'", startup: 'as the last argument' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => {
          const list = get('/', { status: 201 });
          return { list };
        },
      }),
    ]),
);

mistake(
  '`get(path, { statsu })`',
  { compiler: "'statsu'", startup: "Did you mean 'status'?" },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ list: get('/', { statsu: 201 }, () => 1) }),
      }),
    ]),
);

mistake("`get('/', { errors: { 404: [''] } }, …)`", { startup: "such as ['USER_NOT_FOUND']" }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { errors: { 404: [''] } }, () => 1) }),
    }),
  ]),
);

mistake(
  'a response that the schema does not describe',
  { compiler: 'HandlerResult', never: 'what the schema does not describe is removed' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ find: get('/', { response: User }, () => ({ age: 36 })) }),
      }),
    ]),
);

mistake(
  'a parameter that the pattern lacks',
  { compiler: "'id'", never: 'the property is undefined' },
  () =>
    serveControllers([
      defineController('/', { routes: ({ get }) => ({ find: get('/', (ctx) => ctx.params.id) }) }),
    ]),
);

mistake(
  'an instance that `inject` lacks',
  { compiler: "'users'", request: 'Cannot read properties of undefined' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ list: get('/', (_ctx, { users }) => users.list()) }),
      }),
    ]),
);

mistake('a class that nothing provides', { startup: 'add `static inject = []` to Accounts' }, () =>
  serveControllers([
    defineController('/', {
      inject: { users: Accounts },
      routes: ({ get }) => ({ list: get('/', (_ctx, { users }) => users.list()) }),
    }),
  ]),
);

mistake(
  'a class with a parameter, without `static inject`',
  { startup: 'add `static inject = [...]` to Ledger' },
  () => {
    class Ledger {
      constructor(readonly accounts: Accounts) {}
    }
    return serveControllers([
      defineController('/', {
        inject: { ledger: Ledger },
        routes: ({ get }) => ({ list: get('/', (_ctx, { ledger }) => ledger.accounts.list()) }),
      }),
    ]);
  },
);

mistake(
  'a class with a parameter, registered without `static inject`',
  { startup: 'list every parameter in `static inject = [...] as const`' },
  () => {
    class Ledger {
      constructor(readonly accounts: Accounts) {}
    }
    const container = createContainer().register(Ledger);
    return serveControllers(
      [
        defineController('/', {
          inject: { ledger: Ledger },
          routes: ({ get }) => ({ list: get('/', (_ctx, { ledger }) => ledger.accounts.list()) }),
        }),
      ],
      { container },
    );
  },
);

mistake('a token that nothing provides', { startup: 'inject.db of root' }, () =>
  serveControllers([
    defineController('/', {
      inject: { db: Db },
      routes: ({ get }) => ({ list: get('/', (_ctx, { db }) => db.query()) }),
    }),
  ]),
);

mistake(
  'a request-scoped service in a controller without `scope`',
  { startup: 'would capture Visit' },
  () =>
    serveControllers([
      defineController('/', {
        inject: { visit: Visit },
        routes: ({ get }) => ({ list: get('/', (_ctx, { visit }) => visit) }),
      }),
    ]),
);

mistake(
  '`guards: [undefined]`, as in an import cycle',
  { compiler: "'undefined'", startup: 'cannot use undefined as guards[0]' },
  () =>
    serveControllers([
      defineController('/', {
        guards: [undefined],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake('two routes with equivalent patterns', { startup: 'matches the same paths as' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ one: get('/:id', () => 1), two: get('/:name', () => 2) }),
    }),
  ]),
);

mistake('a status that `response` does not describe', { startup: 'describes only 200' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({
        list: get('/', { status: 201, response: { 200: User } }, () => undefined),
      }),
    }),
  ]),
);

mistake('`Redirect(url)` with a line break', { startup: 'a control character' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ old: get('/', { metadata: [Redirect('/\n')] }, () => undefined) }),
    }),
  ]),
);

mistake('`SetHeader(name)` with a space', { startup: 'SetHeader() cannot send the header' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { metadata: [SetHeader('X A', '')] }, () => 1) }),
    }),
  ]),
);

mistake('metadata without the guard that reads it', { startup: 'has no effect on' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { metadata: [Roles('admin')] }, () => 1) }),
    }),
  ]),
);

mistake(
  '`defineController(prefix, { version: 2 })`, a number',
  { compiler: "'number'", startup: 'one segment of a path' },
  () =>
    serveControllers([
      defineController('/', { version: 2, routes: ({ get }) => ({ list: get('/', () => 1) }) }),
    ]),
);

mistake('`get([], handler)`, an empty array of paths', { startup: 'pass at least one path' }, () =>
  serveControllers([defineController('/', { routes: ({ get }) => ({ list: get([], () => 1) }) })]),
);

mistake(
  "`on(['GET', 'PURGE'], path, handler)`",
  { compiler: '"PURGE"', startup: "cannot use ['GET', 'PURGE'] as methods" },
  () =>
    serveControllers([
      defineController('/', { routes: ({ on }) => ({ list: on(['GET', 'PURGE'], '/', () => 1) }) }),
    ]),
);

mistake(
  '`get(path, guard, handler)`, as in Express',
  { compiler: 'TS2', startup: 'options of get' },
  () =>
    serveControllers([
      defineController('/', { routes: ({ get }) => ({ list: get('/', signedIn, () => 1) }) }),
    ]),
);

mistake(
  "`get(path, { status: '203' })`",
  { compiler: 'string', startup: 'an integer from 200 to 599' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ list: get('/', { status: '203' }, () => 1) }),
      }),
    ]),
);

mistake(
  '`post(path, { body })` of a JSON Schema',
  { compiler: 'StandardSchema', startup: 'a Standard Schema' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ post }) => ({
          create: post('/', { body: { type: 'object' } }, ({ body }) => body),
        }),
      }),
    ]),
);

mistake(
  'routes that are registered instead of returned, as in Express',
  { compiler: 'void', startup: 'return an object' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => {
          get('/', () => 1);
        },
      }),
    ]),
);

mistake('an asynchronous `routes`', { compiler: 'Promise', startup: 'return an object' }, () =>
  serveControllers([
    defineController('/', { routes: async ({ get }) => ({ list: get('/', () => 1) }) }),
  ]),
);

mistake('a route of another controller', { startup: 'create it with get()' }, () => {
  const created: ValueRoute[] = [];
  defineController('/', {
    inject: { accounts: Accounts },
    routes: ({ get }) => {
      const list = get('/', (_ctx, { accounts }) => accounts.list());
      created.push(list);
      return { list };
    },
  });
  return serveControllers([
    defineController('/others', { routes: () => Object.fromEntries(Object.entries(created)) }),
  ]);
});

mistake(
  "`scope: 'REQUEST'`",
  { compiler: '"REQUEST"', startup: "'singleton', 'transient' or 'request'" },
  () =>
    serveControllers([
      defineController('/', {
        scope: 'REQUEST',
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  '`inject: [Accounts]`, a list',
  { compiler: 'Index signature', startup: "inject of defineController('/') must be an object" },
  () =>
    serveControllers([
      defineController('/', {
        inject: [Accounts],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  '`inject: { accounts: new Accounts() }`',
  { compiler: "'Accounts'", startup: 'is not a class at run time' },
  () =>
    serveControllers([
      defineController('/', {
        inject: { accounts: new Accounts() },
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  'a lazy instance without `.value`',
  { compiler: "'list'", request: 'accounts.list is not a function' },
  () => {
    const container = createContainer().register(Accounts);
    const controller = defineController('/', {
      inject: { accounts: lazy(() => Accounts) },
      routes: ({ get }) => ({ list: get('/', (_ctx, { accounts }) => accounts.list()) }),
    });
    return serveControllers([controller], { container });
  },
);

mistake(
  '`guards: DenyGuard`, not in a list',
  { compiler: "'typeof DenyGuard'", startup: 'guards of defineController' },
  () =>
    serveControllers([
      defineController('/', {
        guards: DenyGuard,
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  '`guards: [new DenyGuard()]`, an instance',
  { compiler: "'DenyGuard'", startup: 'pass the class, or (ctx) => instance.canActivate(ctx)' },
  () =>
    serveControllers([
      defineController('/', {
        guards: [new DenyGuard()],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake("`guards: ['auth']`, a token that is not registered", { startup: "'auth'" }, () =>
  serveControllers([
    defineController('/', {
      guards: ['auth'],
      routes: ({ get }) => ({ list: get('/', () => 1) }),
    }),
  ]),
);

mistake(
  '`guards: [jwtGuard]`, the function not called',
  { compiler: 'TS2322', startup: 'call it: jwtGuard(auth)' },
  () =>
    serveControllers([
      defineController('/', {
        guards: [jwtGuard],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake('a guard class in `middleware`', { compiler: "'use'", startup: 'pass it as a guard' }, () =>
  serveControllers([
    defineController('/', {
      middleware: [DenyGuard],
      routes: ({ get }) => ({ list: get('/', () => 1) }),
    }),
  ]),
);

mistake(
  '`Public()` and `Roles()` on one route',
  { startup: 'Public() opens what Roles() of the same route restricts' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({
          list: get('/', { metadata: [Public(), JwtRoles('admin')] }, () => 1),
        }),
      }),
    ]),
);

mistake('`Roles()` without `jwtGuard()`', { warning: '] Roles() on root.list reads what' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { metadata: [JwtRoles('admin')] }, () => 1) }),
    }),
  ]),
);

mistake('`Public()` without `jwtGuard()`', { warning: 'Public() may have no effect' }, () =>
  serveControllers([
    defineController('/', {
      guards: [signedIn],
      routes: ({ get }) => ({ list: get('/', { metadata: [Public()] }, () => 1) }),
    }),
  ]),
);

mistake(
  "`metadata: SetHeader('Vary', 'Accept')`, not in a list",
  { compiler: 'MethodDecorator', startup: 'an array of decorators' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({
          list: get('/', { metadata: SetHeader('Vary', 'Accept') }, () => 1),
        }),
      }),
    ]),
);

mistake(
  '`metadata: [SetHeader]` without parentheses',
  { compiler: 'TS2322', startup: 'SetHeader is missing its parentheses' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ list: get('/', { metadata: [SetHeader] }, () => 1) }),
      }),
    ]),
);

mistake(
  '`metadata: [Roles]` of a controller, without parentheses',
  { compiler: 'TS2322', startup: "write Roles('admin')" },
  () =>
    serveControllers([
      defineController('/', {
        metadata: [JwtRoles],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  "`guards: [Roles('admin')]`, a decorator as a guard",
  { startup: 'the decorator Roles()' },
  () =>
    serveControllers([
      defineController('/', {
        guards: [JwtRoles('admin')],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  "`metadata: [requireRole('admin')]`, middleware as metadata",
  { compiler: 'TS2322', startup: 'pass it to UseMiddleware()' },
  () =>
    serveControllers([
      defineController('/', {
        metadata: [requireRole('admin')],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake(
  '`SetHeader()` as metadata of a controller',
  { compiler: 'too few arguments', startup: 'move it to the metadata of the routes' },
  () =>
    serveControllers([
      defineController('/', {
        metadata: [SetHeader('Vary', 'Accept')],
        routes: ({ get }) => ({ list: get('/', () => 1) }),
      }),
    ]),
);

mistake('`Body()` as metadata of a route', { startup: 'read the value from ctx' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ post }) => ({ create: post('/', { metadata: [Body()] }, () => 1) }),
    }),
  ]),
);

mistake('`HttpCode(99)`', { startup: 'HttpCode() cannot use 99 as status' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { metadata: [HttpCode(99)] }, () => 1) }),
    }),
  ]),
);

mistake("`Redirect('/users/:id')` of a handler that returns no `id`", { request: "':id'" }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({
        old: get('/', { metadata: [Redirect('/users/:id')] }, () => undefined),
      }),
    }),
  ]),
);

mistake(
  'a handler that returns nothing for a `response` schema',
  { request: 'its response schema requires one' },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({ find: get('/', { response: User }, (): undefined => undefined) }),
      }),
    ]),
);

mistake('a handler that returns nothing, by mistake', { never: 'undefined is a 204.' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({
        list: get('/', () => {
          new Accounts().list();
        }),
      }),
    }),
  ]),
);

mistake(
  'a name in the schema of parameters that the pattern lacks',
  { warning: "The parameter 'id' is required" },
  () =>
    serveControllers([
      defineController('/', {
        routes: ({ get }) => ({
          find: get('/', { params: z.object({ id: z.string() }) }, ({ params }) => params.id),
        }),
      }),
    ]),
);

mistake('a required body of a GET route', { warning: 'Use QUERY or POST' }, () =>
  serveControllers([
    defineController('/', {
      routes: ({ get }) => ({ list: get('/', { body: User }, ({ body }) => body) }),
    }),
  ]),
);

mistake('`get()` with the pattern `/{id}`', { startup: ':id' }, () =>
  serveControllers([
    defineController('/', { routes: ({ get }) => ({ find: get('/{id}', () => 1) }) }),
  ]),
);

mistake("`defineController('/(v1|v2)')`", { startup: '/(v1|v2)' }, () =>
  serveControllers([
    defineController('/(v1|v2)', { routes: ({ get }) => ({ list: get('/', () => 1) }) }),
  ]),
);

mistake('two controllers with the same route', { startup: 'matches the same paths as' }, () =>
  serveControllers([
    defineController('/', { routes: ({ get }) => ({ list: get('/', () => 1) }) }),
    defineController('/', { routes: ({ get }) => ({ list: get('/', () => 2) }) }),
  ]),
);

mistake(
  'controllers that their file exports in a list',
  { warning: 'does not export it' },
  async () =>
    serveControllers([], {
      root: await writeFiles({
        'all.ts': [
          "import { defineController } from '@fairlead/controllers';",
          'export const all = [',
          "  defineController('/', { routes: ({ get }) => ({ list: get('/', () => 1) }) }),",
          '];',
        ].join('\n'),
      }),
    }),
);

mistake('a controller that its file does not export', { warning: 'does not export it' }, async () =>
  serveControllers([], {
    root: await writeFiles({
      'users.ts': [
        "import { defineController } from '@fairlead/controllers';",
        "defineController('/', { routes: ({ get }) => ({ list: get('/', () => 1) }) });",
      ].join('\n'),
    }),
  }),
);
