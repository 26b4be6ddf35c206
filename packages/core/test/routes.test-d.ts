import { describe, expectTypeOf, it } from 'vitest';
import {
  type Context,
  createApp,
  createRouter,
  type Handler,
  type Middleware,
  type PathParams,
  type Router,
  type State,
} from '../src/index.js';

interface User {
  readonly name: string;
}

const signIn: Middleware<{ user: User }> = (ctx, next) => {
  ctx.state.user = { name: 'Ada' };
  return next();
};
const measure: Middleware<{ started: number }> = (ctx, next) => {
  ctx.state.started = performance.now();
  return next();
};
const plain = (_ctx: Context, next: () => unknown) => next();

describe('PathParams', () => {
  it('has the parameters of the pattern', () => {
    expectTypeOf<PathParams<'/:id/posts/:post'>>().toEqualTypeOf<{
      readonly id: string;
      readonly post: string;
    }>();
    expectTypeOf<PathParams<'users/:id'>>().toEqualTypeOf<{ readonly id: string }>();
    expectTypeOf<PathParams<'/about'>>().toEqualTypeOf<Record<never, string>>();
  });

  it('has the wildcard', () => {
    expectTypeOf<PathParams<'/:owner/*path'>>().toEqualTypeOf<{
      readonly owner: string;
      readonly path: string;
    }>();
    expectTypeOf<PathParams<'/*'>>().toEqualTypeOf<{ readonly '*': string }>();
    expectTypeOf<PathParams<'*rest'>>().toEqualTypeOf<{ readonly rest: string }>();
  });

  it('ends names at text around them', () => {
    expectTypeOf<PathParams<'/:file.png'>>().toEqualTypeOf<{ readonly file: string }>();
    expectTypeOf<PathParams<'/v:major.:minor_x/:año-%3A'>>().toEqualTypeOf<{
      readonly major: string;
      readonly minor_x: string;
      readonly año: string;
    }>();
  });

  it('has optional parameters', () => {
    expectTypeOf<PathParams<'/users/:id?'>>().toEqualTypeOf<{ readonly id?: string }>();
    expectTypeOf<PathParams<'/:user/posts/:year?/:month?'>>().toEqualTypeOf<{
      readonly user: string;
      readonly year?: string;
      readonly month?: string;
    }>();
    expectTypeOf<PathParams<':id?'>>().toEqualTypeOf<{ readonly id?: string }>();
  });

  it('has optional parameters where only some paths of a union have them', () => {
    expectTypeOf<PathParams<'/a/:id/:part' | '/b/:id'>>().toEqualTypeOf<{
      readonly id: string;
      readonly part?: string;
    }>();
    expectTypeOf<PathParams<'/a/:id' | '/b/:id'>>().toEqualTypeOf<{ readonly id: string }>();
    expectTypeOf<PathParams<'/a/:id?' | '/b/:id'>>().toEqualTypeOf<{ readonly id?: string }>();
  });

  it('is open for a pattern that is not a literal', () => {
    expectTypeOf<PathParams<string>>().toEqualTypeOf<Readonly<Record<string, string>>>();
  });
});

describe.each([['application'], ['router']])('a route of the %s', () => {
  const app = createApp();
  const router = createRouter();

  it('has typed parameters, so a typo does not compile', () => {
    app.get('/:id/posts/:post', (ctx) => {
      expectTypeOf(ctx).toEqualTypeOf<
        Context<{ readonly id: string; readonly post: string }, State>
      >();
      // @ts-expect-error: the parameter is called post.
      return ctx.params.pots;
    });
    router.post('/:id/*path', async ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly id: string; readonly path: string }>();
    });
    router.on('PURGE', '/:id', ({ params }) => params.id);
    // @ts-expect-error: the handler needs another parameter.
    router.get('/:id', (ctx: Context<{ name: string }>) => ctx.params.name);
  });

  it('has a parameter that may be undefined if it is optional, or only some paths have it', () => {
    app.get('/users/:id?', signIn, ({ params, state }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly id?: string }>();
      expectTypeOf(params.id).toEqualTypeOf<string | undefined>();
      expectTypeOf(state.user).toEqualTypeOf<User>();
    });
    router.get(['/a', '/b/:id', '/c/:id/:part?'], { status: 201 }, ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly id?: string; readonly part?: string }>();
    });
    router.get(['/a/:id', '/b/:id'], ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
    });
    router.on(['GET', 'POST'], ['/a/:id', '/b'], ({ params }) => {
      expectTypeOf(params.id).toEqualTypeOf<string | undefined>();
      // @ts-expect-error: no path has the parameter.
      return params.name;
    });
    createRouter<'/users/:user'>().get('/posts/:post?', ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly user: string; readonly post?: string }>();
    });
    const show: Handler<'/users/:id?'> = ({ params }) => params.id ?? 'all';
    router.get('/users/:id?', plain, show).get('/users/:id', show);
    // @ts-expect-error: the handler needs the parameter, which may be absent.
    router.get('/x/:id?', (ctx: Context<{ id: string }>) => ctx.params.id);
    const patterns: readonly string[] = ['/a', '/b'];
    router.get(patterns, ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
    });
  });

  it('has any parameter if the pattern is not a literal', () => {
    const pattern: string = '/:id';
    router.get(pattern, ({ params }) => {
      expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
    });
  });

  it('accepts functions that need no particular parameters or state', () => {
    const show: Handler<'/users/:id'> = (ctx) => ctx.params.id;
    router.get('/:id', plain, show).get('/x/:id', show);
    // @ts-expect-error: the pattern lacks the parameter id.
    router.get('/:name', show);
  });

  it('has the state of its middleware, without casts', () => {
    app.get('/me', signIn, (ctx) => {
      expectTypeOf(ctx.state.user).toEqualTypeOf<User>();
      expectTypeOf(ctx.state.other).toBeUnknown();
    });
    router.get('/:id', signIn, plain, measure, (ctx) => {
      expectTypeOf(ctx.state.user).toEqualTypeOf<User>();
      expectTypeOf(ctx.state.started).toBeNumber();
      expectTypeOf(ctx.params.id).toBeString();
    });
    router.get(
      '/:id',
      signIn,
      (ctx, next) => {
        expectTypeOf(ctx.state.user).toEqualTypeOf<User>();
        expectTypeOf(ctx.params.id).toBeString();
        return next();
      },
      (ctx) => expectTypeOf(ctx.state.user).toEqualTypeOf<User>(),
    );
  });

  it('has the state of any number of middleware', () => {
    const tag: Middleware<{ tag: 'a' }> = (_ctx, next) => next();
    const count: Middleware<{ count: number }> = (_ctx, next) => next();
    const expectAll = (state: { user: User; started: number; tag: 'a'; count: number }) => state;
    router.get('/:id', signIn, measure, plain, tag, count, ({ params, state }) => {
      expectTypeOf(params.id).toBeString();
      return expectAll(state);
    });
    router.get('/:id', { status: 201 }, signIn, measure, plain, tag, count, ({ params, state }) => {
      expectTypeOf(params.id).toBeString();
      return expectAll(state);
    });
    app.on('GET', '/', signIn, measure, tag, count, ({ state }) => expectAll(state));
    createApp()
      .use(signIn, measure, plain, tag, count)
      .get('/', ({ state }) => expectAll(state));
    createRouter()
      .use(signIn, measure, plain, tag, count, (ctx) => expectAll(ctx.state))
      .get('/', ({ state }) => expectAll(state));
    createRouter().define('/', ({ get }) => ({
      find: get('/', signIn, measure, plain, tag, count, ({ state }) => expectAll(state)),
    }));
    // @ts-expect-error: a route needs a handler.
    router.get('/x');
  });

  it('has the state of earlier use()', () => {
    createRouter()
      .use(signIn)
      .get('/', (ctx) => expectTypeOf(ctx.state.user).toEqualTypeOf<User>());
    createApp()
      .use(signIn)
      .use(measure)
      .use(plain)
      .get('/', (ctx) => {
        expectTypeOf(ctx.state.user).toEqualTypeOf<User>();
        expectTypeOf(ctx.state.started).toBeNumber();
      });
  });

  it('accepts typed middleware wherever middleware is accepted', () => {
    const handlers: readonly Middleware[] = [plain];
    createApp()
      .use(plain, signIn)
      .get('/', (ctx) => expectTypeOf(ctx.state.user).toEqualTypeOf<User>());
    createApp()
      .use(signIn, plain, measure)
      .get('/', (ctx) => expectTypeOf(ctx.state.started).toBeNumber());
    createRouter()
      .use(plain, signIn)
      .get('/', (ctx) => expectTypeOf(ctx.state.user).toEqualTypeOf<User>());
    app.use('/admin', signIn).use('/admin/:id', plain, signIn);
    app.use(plain, signIn, plain, plain, plain).use(...handlers);
    router.use(plain, signIn, plain, plain, plain);
    router.on('PURGE', '/:id', signIn, plain, ({ params, state }) => [params.id, state.user.name]);
    router.get('/:id', plain, plain, plain, signIn, ({ params, state }) => [
      params.id,
      state.user.name,
    ]);
  });

  it('has the error at the function that is not middleware', () => {
    app.use(
      plain,
      // @ts-expect-error: a factory.
      createRouter,
    );
    app.use(
      '/users',
      plain,
      // @ts-expect-error: a router.
      createRouter(),
    );
    app.get(
      '/',
      // @ts-expect-error: a router.
      createRouter(),
      plain,
    );
    app.get(
      '/',
      plain,
      // @ts-expect-error: a router.
      createRouter(),
    );
  });

  it('has the state and the prefix that createRouter() states', () => {
    const posts = createRouter<'/users/:user/posts', { user: User }>().get('/:id', (ctx) => {
      expectTypeOf(ctx.params).toEqualTypeOf<{ readonly user: string; readonly id: string }>();
      expectTypeOf(ctx.state.user).toEqualTypeOf<User>();
    });
    app.route('/users/:user/posts', posts).route('/:user', posts);
    // @ts-expect-error: the prefix lacks the parameter user.
    app.route('/users', posts);
    createRouter<'/users/:user'>().route('/posts', createRouter<'/:user'>());
    // @ts-expect-error: neither prefix has the parameter user.
    createRouter<'/users/:id'>().route('/posts', createRouter<'/:user'>());
    const prefix: string = '/users';
    app.route(prefix, posts);
  });
});

describe('middleware at a prefix', () => {
  it('has the parameters of the prefix', () => {
    createApp().use('/users/:user', plain, ({ params }, next) => {
      expectTypeOf(params).toEqualTypeOf<{ readonly user: string }>();
      return next();
    });
  });
});

describe('chaining', () => {
  it('keeps the type of the router', () => {
    expectTypeOf(createRouter().get('/', plain).use(plain)).toEqualTypeOf<Router>();
    expectTypeOf(createRouter().use(signIn)).toEqualTypeOf<
      Router<Record<never, string>, State & { user: User }>
    >();
  });

  it('mounts a router with any state', () => {
    createApp().use(signIn).route('/', createRouter<'', { user: User }>()).use(plain);
  });

  it('mounts a handler with middleware that sets state, and types functions among it', () => {
    const handler = () => new Response();
    createApp().mount('/:tenant', handler, {
      middleware: [
        signIn,
        (ctx, next) => {
          expectTypeOf(ctx.params).toEqualTypeOf<{ readonly tenant: string }>();
          expectTypeOf(ctx.state).toEqualTypeOf<State>();
          return next();
        },
      ],
    });
    createApp()
      .use(signIn)
      .mount('/', handler, {
        middleware: [
          (_ctx, next) => next(),
          (ctx) => expectTypeOf(ctx.state.user).toEqualTypeOf<User>(),
        ],
      });
    // @ts-expect-error Not a function.
    createRouter().mount('/', handler, { middleware: ['signIn'] });
    // @ts-expect-error Its context has a member that no context has.
    createRouter().mount('/', handler, { middleware: [(ctx: { own: string }) => ctx.own] });
  });
});
