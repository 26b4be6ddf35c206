import { createRouteMetadata, defineController, Redirect, SetHeader } from '@fairlead/controllers';
import { createContainer, Service, token } from '@fairlead/di';
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
