import { describe, expect, it, vi } from 'vitest';
import { describe as describeFunction, registrationsOf } from '../src/extend.js';
import {
  type Application,
  type Context,
  createApp,
  createRouter,
  errorHandler,
  ForbiddenError,
  intended,
  json,
  type Middleware,
  NotFoundError,
  notFoundHandler,
  raw,
  text,
  urlencoded,
} from '../src/index.js';

const handler: Middleware = (ctx) => ctx.json(null);

/** Middleware of a package that passes requests on. */
const limit = (role: 'middleware' | 'cors' = 'middleware') =>
  describeFunction<Middleware>(
    function limit(_ctx, next) {
      return next();
    },
    { role },
  );

function users() {
  return createRouter().get('/', handler).get('/:id', handler);
}

/** `locations.test.ts` checks the locations. */
function withoutLocation(message: string): string {
  return message.replace(/\n {2}At: .*/, '');
}

/** The messages of an application's problems, which all have the same code. */
function messagesOf(app: Application): readonly string[] {
  const problems = registrationsOf(app).problems;
  expect(problems).toEqual(
    problems.map(() => expect.objectContaining({ code: 'INVALID_ORDER', name: 'SetupError' })),
  );
  return problems.map(({ message }) => withoutLocation(message));
}

/** The messages of the warnings that the start of an application prints. */
function warningsOf(app: Application): readonly string[] {
  expect(registrationsOf(app).problems).toEqual([]);
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  app.seal();
  const warnings = emitWarning.mock.calls.map(([message]) => message);
  expect(emitWarning.mock.calls).toEqual(
    warnings.map((message) => [message, { type: 'FairleadWarning', code: 'FAIRLEAD_ORDER' }]),
  );
  return warnings.map(String).map(withoutLocation);
}

describe('middleware that reads what a guard of its route provides', () => {
  const reader = (guard?: string) =>
    describeFunction<Middleware>((_ctx, next) => next(), {
      name: 'requireScope()',
      role: 'middleware',
      after: ['auth.middleware', 'jwtGuard(auth)'],
      ...(guard && { guard }),
    });
  const guarded = describeFunction<Middleware>(() => 1, {
    runs: [describeFunction(() => true, { name: 'jwtGuard(auth)', role: 'guard' })],
  });

  it('causes a warning that names the guard to use in its place', () => {
    const app = createApp().post('/tasks', reader('@Scopes()'), guarded);
    expect(warningsOf(app)).toEqual([
      'requireScope() reads what auth.middleware or jwtGuard(auth) provides, but runs before the guards of: POST /tasks. Use @Scopes(), which is a guard, in place of requireScope(), register auth.middleware first, or pass requireScope() to intended().',
    ]);
  });

  it('causes another one if there is no such guard', () => {
    expect(warningsOf(createApp().post('/tasks', reader(), guarded))).toEqual([
      expect.stringContaining('nothing before it provides that in: POST /tasks.'),
    ]);
  });
});

describe('notFoundHandler()', () => {
  it('causes a warning beside the option notFound, which it hides', () => {
    expect(warningsOf(createApp({ notFound: handler }).use(notFoundHandler()))).toEqual([
      expect.stringContaining(
        'notFoundHandler() responds to every request, so the option notFound of createApp() never does. Remove one of them, or pass notFoundHandler() to intended().',
      ),
    ]);
  });

  it.each([
    ['it is intended', () => createApp({ notFound: handler }).use(intended(notFoundHandler()))],
    [
      'it is for a prefix',
      () => createApp({ notFound: handler }).route('/a', users()).use('/a', notFoundHandler()),
    ],
    ['there is no such option', () => createApp().use(notFoundHandler())],
  ])('causes none if %s', (_, create) => {
    expect(warningsOf(create())).toEqual([]);
  });

  it('cannot be registered before routers, routes and middleware', () => {
    const app = createApp()
      .use(errorHandler())
      .use(notFoundHandler())
      .use(json())
      .route('/users', users())
      .get('/health', handler)
      .get('/ready', handler);
    expect(messagesOf(app)).toEqual([
      "notFoundHandler() responds to every request, so anything registered after it never runs: the middleware 'json', the router mounted at '/users', the route GET /health and 1 more. Register notFoundHandler() last.",
    ]);
    expect(() => app.seal()).toThrow('Register notFoundHandler() last.');
  });

  it('at a prefix cannot be registered before what is below the prefix', () => {
    const app = createApp()
      .use('/api/:version', json(), notFoundHandler())
      .use('/api/v1/users', (_ctx, next) => next())
      .route('/api/v1/users', users())
      .route('/', createRouter().get('/api/v1', handler).get('/home', handler));
    expect(messagesOf(app)).toEqual([
      "notFoundHandler() responds to every request below '/api/:version', so anything registered after it never runs: a middleware, the router mounted at '/api/v1/users', the route GET /api/v1. Register notFoundHandler() last.",
    ]);
  });

  it.each(['/*path', '/:any', '/:any/users', '/apis', '/api:version', '/v1/api', '/API', '/'])(
    'at a prefix can be registered before the route %s, which matches other paths',
    (pattern) => {
      const app = createApp().use('/api', notFoundHandler()).use(json()).get(pattern, handler);
      expect(messagesOf(app)).toEqual([]);
    },
  );

  it('at a prefix ignores case if a router does', () => {
    const app = createApp({ caseSensitive: false })
      .use('/api', notFoundHandler())
      .get('/API/users', handler);
    expect(messagesOf(app)).toHaveLength(1);
  });

  it('cannot run before the handler of a route', () => {
    const app = createApp()
      .route('/users', users().use(notFoundHandler()))
      .get('/a', notFoundHandler(), handler)
      .get('/b', notFoundHandler());
    expect(messagesOf(app)).toEqual([
      'notFoundHandler() responds to every request, so the functions after it never run in a route: GET /users, GET /users/:id. Register it last on the application, with app.use(notFoundHandler()).',
      'notFoundHandler() responds to every request, so the functions after it never run in a route: GET /a. Register it last on the application, with app.use(notFoundHandler()).',
    ]);
  });

  it('cannot be registered before middleware that responds to preflights', () => {
    expect(messagesOf(createApp().use(notFoundHandler(), limit('cors')))).toEqual([
      "notFoundHandler() responds to every request, so anything registered after it never runs: the middleware 'limit'. Register notFoundHandler() last.",
    ]);
  });

  it('may be registered twice, before empty routers, and before another handler', () => {
    const app = createApp()
      .route('/users', users())
      .use(notFoundHandler(), notFoundHandler())
      .route('/empty', createRouter());
    expect(messagesOf(app)).toEqual([]);
  });
});

describe('errorHandler()', () => {
  it('causes a warning after routers and routes', () => {
    const app = createApp()
      .use(limit(), json())
      .route('/users', users())
      .get('/health', handler)
      .use(notFoundHandler(), errorHandler());
    expect(warningsOf(app)).toEqual([
      "errorHandler() cannot catch errors from anything registered before it: the router mounted at '/users', the route GET /health. Register errorHandler() first, or pass it or the router to intended().",
    ]);
  });

  it('causes no warning if it or the router before it is intended', () => {
    const app = createApp()
      .route('/health', intended(users()))
      .use('/api', errorHandler())
      .route('/api', users())
      .route('/users', users())
      .use(intended(errorHandler()));
    expect(warningsOf(app)).toEqual([]);
  });

  it('causes a warning only for routes whose routers are not intended', () => {
    const probes = intended(createRouter().get('/live', handler));
    const app = createApp()
      .route('/health', createRouter().route('/', probes))
      .route('/status', createRouter().route('/', probes).get('/load', handler))
      .use(errorHandler());
    expect(warningsOf(app)).toEqual([
      'errorHandler() cannot catch errors from anything registered before it: the route GET /status/load. Register errorHandler() first, or pass it or the router to intended().',
    ]);
  });

  it('at a prefix causes a warning after routes below the prefix', () => {
    const app = createApp()
      .get('/health', handler)
      .get('/api/users', handler)
      .use('/api', errorHandler())
      .use(errorHandler())
      .use(errorHandler());
    expect(warningsOf(app)).toEqual([
      "errorHandler() cannot catch errors below '/api' from anything registered before it: the route GET /api/users. Register errorHandler() first, or pass it or the router to intended().",
      'errorHandler() cannot catch errors from anything registered before it: the route GET /health. Register errorHandler() first, or pass it or the router to intended().',
    ]);
  });

  it('may be registered after middleware, for other paths, or below another one', () => {
    const app = createApp()
      .use(limit())
      .get('/health', handler)
      .use('/api', errorHandler())
      .route('/api/users', users())
      .use('/api/users', errorHandler())
      .get('/api/users/:id/posts', handler);
    expect(messagesOf(app)).toEqual([]);
  });

  it('cannot be the last function of a route', () => {
    const app = createApp()
      .get('/a', handler, errorHandler())
      .get('/b', errorHandler(), handler)
      .route('/users', users().use(errorHandler()));
    expect(messagesOf(app)).toEqual([
      'errorHandler() is the last function of a route, so it catches nothing there: GET /a. Pass it before the other functions.',
    ]);
  });
});

describe('middleware after all routes', () => {
  const pass: Middleware = (_ctx, next) => next();

  /** The messages of the problems of a sealed application. */
  function sealedMessagesOf(app: Application): readonly string[] {
    expect(registrationsOf(app).problems).toEqual([]);
    expect(() => app.seal()).toThrow('Register it before the routes.');
    return messagesOf(app);
  }

  it.each<[string, Middleware]>([
    ['middleware', limit()],
    ['cors', limit('cors')],
  ])('causes a warning if its role is %s, unless it is intended', (_role, middleware) => {
    const create = () => createApp().route('/users', users()).use(middleware, notFoundHandler());
    expect(warningsOf(create())).toEqual([
      "limit() runs for no route, because all of them are registered before it: the router mounted at '/users'. Register it before the routes, or pass it to intended() if it is for unknown paths.",
    ]);
    vi.restoreAllMocks();
    intended(middleware);
    expect(warningsOf(create())).toEqual([]);
  });

  it.each<[string, Middleware]>([
    ['json()', json()],
    ['raw()', raw()],
    ['text()', text()],
    ['urlencoded()', urlencoded()],
  ])('cannot be %s', (name, middleware) => {
    const app = createApp()
      .route('/users', users())
      .get('/health', handler)
      .use(middleware, notFoundHandler());
    expect(sealedMessagesOf(app)).toEqual([
      `${name} runs for no route, because all of them are registered before it: the router mounted at '/users', the route GET /health. Register it before the routes.`,
    ]);
  });

  it('is reported once for each name', () => {
    const app = createApp().get('/health', handler).use(json(), text(), json());
    expect(sealedMessagesOf(app)).toEqual([
      expect.stringContaining('json() runs for no route'),
      expect.stringContaining('text() runs for no route'),
    ]);
  });

  it('at a prefix is reported for the routes below it', () => {
    const app = createApp()
      .get('/health', handler)
      .route('/api/v1', users())
      .use('/api/:version', json())
      .use('/static', pass)
      .route('/api/v2', createRouter())
      .get('/apis/:id', handler);
    expect(sealedMessagesOf(app)).toEqual([
      "json() runs for no route below '/api/:version', because all of them are registered before it: the router mounted at '/api/v1'. Register it before the routes.",
    ]);
  });

  it.each<[string, (app: Application) => unknown]>([
    ['a route', (app) => app.get('/api/users', handler)],
    ['a route with a parameter', (app) => app.get('/:any/users', handler)],
    ['a route with a wildcard', (app) => app.get('/*path', handler)],
    ['a router', (app) => app.route('/api/users', users())],
    ['other middleware', (app) => app.use(pass)],
    ['other middleware below it', (app) => app.use('/api/files', pass)],
    ['other middleware above it', (app) => app.use('/:any', pass)],
  ])('may be there for what follows: %s', (_, add) => {
    const app = createApp().get('/api/hook', handler).use('/api', json());
    add(app);
    app.seal();
    expect(messagesOf(app)).toEqual([]);
  });

  it('may be there for other requests, if the routes have the same', () => {
    const app = createApp()
      .use('/api', json())
      .get('/api/users', handler)
      .get('/health', json(), handler)
      .route('/users', users().use(json()))
      .use(json());
    app.seal();
    expect(messagesOf(app)).toEqual([]);
  });

  it('of a router runs for its routes', () => {
    const app = createApp().route('/users', users().use(json()));
    app.seal();
    expect(messagesOf(app)).toEqual([]);
  });

  it('may be there for no route', () => {
    const app = createApp()
      .get('/health', handler)
      .route('/api/users', createRouter())
      .use('/api', json());
    app.seal();
    expect(messagesOf(app)).toEqual([]);
  });
});

it('what is out of order is recognized in handlers of another copy of core', () => {
  const other: Middleware = Object.assign((_ctx: unknown) => undefined, {
    [Symbol.for('fairlead:descriptor')]: { role: 'notFoundHandler' },
  });
  expect(messagesOf(createApp().use(other).get('/', handler))).toHaveLength(1);
});

it('functions that only have the name of a handler may be anywhere', () => {
  const app = createApp()
    .use(function notFoundHandler(_ctx, next) {
      return next();
    })
    .get('/', handler)
    .use(function errorHandler(_ctx, next) {
      return next();
    });
  expect(messagesOf(app)).toEqual([]);
});

describe('a function with a prefix, after the routes below it', () => {
  const app = () => createApp().route('/admin', users());
  const guard = (): Middleware => (_ctx, next) => next();
  function isAdmin(ctx: Context) {
    throw new ForbiddenError(ctx.path);
  }

  it.each<[string, Application, string]>([
    ['passes requests on', app().use('/admin', guard()), "A function of app.use('/admin')"],
    ['rejects them', app().use('/admin', isAdmin), "The middleware 'isAdmin'"],
    ['is that of a package', app().use('/admin', limit()), 'limit()'],
  ])('causes a warning if it %s, before other routes', (_case, app, name) => {
    expect(warningsOf(app.get('/health', handler))).toEqual([
      `${name} runs for no route below '/admin', because all of them are registered before it: the router mounted at '/admin'. Register it before the routes, or pass it to intended() if it is for unknown paths.`,
    ]);
  });

  it('names a router by its prefix, also if it has a single route', () => {
    const router = createRouter().get('/', handler);
    expect(warningsOf(createApp().route('/users', router).use(limit()))).toEqual([
      expect.stringContaining("registered before it: the router mounted at '/users'."),
    ]);
  });

  const requireUser: Middleware = ({ path }, next) => {
    if (path === '/') throw new ForbiddenError();
    return next();
  };
  it('causes a warning without a prefix if it passes some requests on and rejects others', () => {
    const app = createApp().get('/health', handler).route('/users', users()).use(requireUser);
    expect(warningsOf(app)).toEqual([
      "The middleware 'requireUser' runs for no route, because all of them are registered before it: the route GET /health, the router mounted at '/users'. Register it before the routes, or pass it to intended() if it is for unknown paths.",
    ]);
  });

  const known = guard();
  it.each<[string, Application]>([
    ['there is a route below it afterwards', app().use('/admin', guard()).post('/admin', handler)],
    ['a handler follows it', app().use('/admin', guard(), handler)],
    ['it may respond to unknown paths', app().use('/admin', handler)],
    [
      'it rejects unknown paths',
      app().use('/admin', (_ctx, _next) => {
        throw new NotFoundError();
      }),
    ],
    ['it is for all paths', app().use(guard())],
    ['it rejects all paths', app().use(isAdmin)],
    ['a route follows it', app().use(requireUser).get('/health', handler)],
    ['it is intended', app().use('/admin', intended(guard()))],
    [
      'it also runs before them',
      createApp().use('/admin', known).route('/admin', users()).use('/admin', known),
    ],
  ])('causes no warning if %s', (_case, app) => {
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('middleware at the end of a route', () => {
  it('causes a warning after a handler that does not call next()', () => {
    const described = describeFunction<Middleware>((_ctx, next) => next(), {
      name: 'pass()',
      role: 'middleware',
    });
    const foreign = describeFunction<Middleware>(() => undefined, { role: 'foreign' });
    const app = createApp()
      .get('/', () => 1, limit('cors'))
      .post('/', () => 1, limit('cors'))
      .get('/a', handler, described)
      .get('/b', foreign, described);
    expect(warningsOf(app)).toEqual([
      'limit() never runs, because a function before it in the route does not call next(): GET /, POST /. Pass limit() before the handler, or to intended().',
      'pass() never runs, because a function before it in the route does not call next(): GET /a, GET /b. Pass pass() before the handler, or to intended().',
    ]);
  });

  it.each<[string, Application]>([
    ['it is alone', createApp().options('/', limit('cors'))],
    [
      'the function before it calls next()',
      createApp().all('/', (_ctx, next) => next(), limit('cors')),
    ],
    ['all others are of packages', createApp().options('/', limit(), limit('cors'))],
    ['it is intended', createApp().get('/', () => 1, intended(limit('cors')))],
  ])('causes no warning if %s', (_case, app) => {
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('middleware that reads what other middleware provides', () => {
  const create = (name: string, after?: string): Middleware =>
    describeFunction<Middleware>((_ctx, next) => next(), {
      name,
      role: 'middleware',
      after: after ?? [],
    });
  const read = () => create('read()', 'set()');
  const set = () => create('set()');
  const unknown: Middleware = (_ctx, next) => next();
  const late =
    'read() reads what set() provides, but runs before it. Register that first, or pass read() to intended().';
  const lateIn = (routes: string) => late.replace('before it.', `before it in: ${routes}.`);
  const lacking =
    'read() reads what set() provides, but nothing before it provides that. Register set() first, or pass read() to intended().';
  const lackingIn = (routes: string) => lacking.replace('that.', `that in: ${routes}.`);

  const reading = users().use(read());

  it.each<[string, Application, string]>([
    ['after it', createApp().use(read(), set()).route('/a', users()), late],
    ['after it, before a function without a route', createApp().use(read(), set(), handler), late],
    ['after it and other middleware', createApp().use(unknown, read(), set()), late],
    [
      'after it in a router',
      createApp().route('/a', users().use(read()).use(set())),
      lateIn('GET /a, GET /a/:id'),
    ],
    [
      'after it in routes',
      createApp().use(unknown).get('/a', read(), set(), handler).put('/a', read(), set(), handler),
      lateIn('GET /a, PUT /a'),
    ],
    [
      'in a router that is nested in its router',
      createApp().route('/a', createRouter().use(read()).route('/b', users().use(set()))),
      lateIn('GET /a/b, GET /a/b/:id'),
    ],
    ['in a route', createApp().use(read()).get('/a', set(), handler), lacking],
    ['nowhere', createApp().use(json(), read()).get('/a', handler), lacking],
    ['nowhere, without a route', createApp().use('/a', json(), read()), lacking],
    [
      'nowhere, in a router',
      createApp().route('/a', users().use(read())),
      lackingIn('GET /a, GET /a/:id'),
    ],
    [
      'nowhere, in a route with several methods and patterns',
      createApp().use(json()).on(['GET', 'PUT'], ['/a', '/b'], errorHandler(), read(), handler),
      lackingIn('GET /a, GET /b, PUT /a and 1 more'),
    ],
    [
      'nowhere, in a handler with a role',
      createApp().get(
        '/a',
        describeFunction<Middleware>(() => undefined, {
          name: 'read()',
          role: 'websocket',
          after: 'set()',
        }),
      ),
      lackingIn('GET /a'),
    ],
    [
      'after its route',
      createApp().get('/a', read(), handler).use(set()).get('/b', handler),
      lackingIn('GET /a'),
    ],
    [
      'below another prefix than its route',
      createApp()
        .use('/b', set())
        .use('/c', unknown)
        .get('/a', read(), handler)
        .get('/b', handler)
        .get('/c', handler),
      lackingIn('GET /a'),
    ],
    [
      'below another prefix',
      createApp()
        .use('/b', set())
        .use('/c', unknown)
        .use('/a', read())
        .get('/a/b', handler)
        .get('/b', handler)
        .get('/c', handler),
      lacking,
    ],
    [
      'not at all prefixes of its router',
      createApp().use('/a', set()).route('/a', reading).route('/b', reading),
      lackingIn('GET /b, GET /b/:id'),
    ],
    [
      'in a route for other paths that calls next()',
      createApp().all('/b/*path', set(), unknown).use(json()).get('/a', read(), handler),
      lackingIn('GET /a'),
    ],
    [
      'in an earlier route that does not call next()',
      createApp()
        .all('/a/:id', set(), () => 1)
        .use(json())
        .get('/:id/b', read(), handler),
      lackingIn('GET /:id/b'),
    ],
  ])('causes a warning if that is %s', (_case, app, warning) => {
    expect(warningsOf(app)).toEqual([warning]);
  });

  it('causes a warning for each function of the application, and one for all of routes', () => {
    const app = createApp()
      .use(read(), read())
      .get('/a', read(), handler)
      .get('/b', handler)
      .get('/c', intended(read()), read(), handler);
    expect(warningsOf(app)).toEqual([lacking, lacking, lackingIn('GET /a, GET /c')]);
  });

  it.each<[string, Application]>([
    ['it comes after it', createApp().use(set(), read()).get('/a', handler)],
    ['it comes between two of them', createApp().use(set(), read(), set()).get('/a', handler)],
    ['it comes after it in a router', createApp().route('/a', users().use(set()).use(read()))],
    ['it comes after it in a route', createApp().get('/a', set(), read(), handler)],
    [
      'its route has it in the router',
      createApp().route('/a', createRouter().get('/', read(), handler).use(set())),
    ],
    ['its route has it in the application', createApp().use(set()).put('/a', read(), handler)],
    [
      'an outer router has it',
      createApp().route(
        '/a',
        createRouter()
          .use(set())
          .route('/b', createRouter().route('/c', users().use(read()))),
      ),
    ],
    [
      'it comes after it below a prefix',
      createApp().use('/a', set()).use(read()).get('/a/b', handler),
    ],
    [
      'it is for some paths after it',
      createApp().use(set()).use('/a', read()).get('/a/b', handler),
    ],
    ['the prefix includes its route', createApp().use('/:any', set()).get('/a', read(), handler)],
    [
      'the prefix includes paths of its route',
      createApp().use('/a', set()).get('/:any', read(), handler),
    ],
    [
      'the prefix includes paths of its wildcard',
      createApp().use('/a/b', set()).get('/a/*path', read(), handler).get('/a/b', handler),
    ],
    [
      'the prefix has another case',
      createApp({ caseSensitive: false }).use('/A', set()).get('/a', read(), handler),
    ],
    [
      'its prefix covers no other route',
      createApp().use('/a', set(), read()).get('/b', handler).get('/a', handler),
    ],
    ['unknown middleware may provide it', createApp().use(unknown, read()).get('/a', handler)],
    [
      'unknown middleware of its router may provide it',
      createApp().route('/a', users().use(unknown, read())),
    ],
    [
      'unknown middleware of its route may provide it',
      createApp().get('/a', unknown, read(), handler),
    ],
    [
      'unknown middleware below a prefix may provide it',
      createApp().use('/a', unknown).get('/a/b', read(), handler),
    ],
    [
      'middleware of another framework may provide it',
      createApp()
        .use(describeFunction<Middleware>((_ctx, next) => next(), { role: 'foreign' }))
        .get('/a', read(), handler),
    ],
    [
      'an earlier route has it, and calls next()',
      createApp().all('/*path', set()).use(json()).get('/a', read(), handler),
    ],
    [
      'an earlier route may provide it',
      createApp().all('/a/*path', unknown).use(json(), read()).get('/a/b', handler),
    ],
    [
      'it has no role',
      createApp()
        .use(describeFunction<Middleware>((_ctx, next) => next(), { after: 'set()' }))
        .get('/a', handler),
    ],
    ['it is marked as intended', createApp().use(intended(read()), set()).get('/a', handler)],
    [
      'it is marked as intended in a router',
      createApp().route('/a', users().use(intended(read()))),
    ],
    [
      'it is marked as intended in a route',
      createApp().get('/a', intended(read()), set(), handler),
    ],
  ])('causes no warning if %s', (_case, app) => {
    expect(warningsOf(app)).toEqual([]);
  });
});

describe('a WebSocket route', () => {
  const socket = () => describeFunction<Middleware>(() => undefined, { role: 'websocket' });

  it('cannot have another method than GET', () => {
    const router = createRouter().post('/rooms', socket());
    expect(registrationsOf(createApp().route('/api', router)).problems).toEqual([
      expect.objectContaining({
        code: 'INVALID_METHOD',
        message: expect.stringContaining(
          'The route POST /api/rooms cannot open WebSocket connections, because clients open them with GET. Register it for GET.',
        ),
      }),
    ]);
  });

  it('may accept GET, alone or among all methods', () => {
    const app = createApp().get('/a', socket()).all('/b', socket());
    expect(registrationsOf(app).problems).toEqual([]);
  });
});
