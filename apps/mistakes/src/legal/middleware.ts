import { AsyncLocalStorage } from 'node:async_hooks';
import { mock } from 'node:test';
import {
  type Context,
  createApp,
  createRouter,
  errorHandler,
  HttpError,
  json,
  type Middleware,
  type Next,
  NotFoundError,
  notFoundHandler,
} from '@fairlead/core';
import {
  compression,
  cors,
  createHealth,
  etag,
  requestId,
  secureHeaders,
  timeout,
} from '@fairlead/middleware';
import { createLogger, logRequests } from '@fairlead/pino';
import { rateLimit } from '@fairlead/rate-limit';
import { post } from '../mistake.js';
import { legal, silence, warned } from './program.js';

const users = () => createRouter().get('/users', () => ['ada']);

legal('middleware with an optional third parameter, which tests pass', '200 "info"', () => {
  function audit(ctx: Context, next: Next, level?: string) {
    ctx.state.level = level ?? 'info';
    return next();
  }
  return createApp()
    .use(audit)
    .get('/', (ctx) => ctx.state.level);
});

legal('middleware with a third parameter that has a default value', '200 "info"', () => {
  const audit = (ctx: Context, next: Next, level = 'info') => {
    ctx.state.level = level;
    return next();
  };
  return createApp()
    .use(audit)
    .get('/', (ctx) => ctx.state.level);
});

warned(
  'middleware that is bound, with an optional third parameter',
  'bound audit with 3 parameters',
  '200 "info"',
  (isSilenced) => {
    function audit(ctx: Context, next: Next, level?: string) {
      ctx.state.level = level ?? 'info';
      return next();
    }
    const bound: Middleware = audit.bind(undefined);
    return createApp()
      .use(silence(isSilenced, bound))
      .get('/', (ctx) => ctx.state.level);
  },
);

legal('a handler with an optional third parameter', '200 "1"', () => {
  const read = (ctx: Context, _next?: Next, version?: number) =>
    String(version ?? 1) + ctx.path.slice(1);
  return createApp().get('/', read);
});

legal('a bound method as middleware', '200 1', () => {
  class Counter {
    #count = 0;
    run(ctx: Context, next: Next) {
      this.#count += 1;
      ctx.state.count = this.#count;
      return next();
    }
  }
  const counter = new Counter();
  return createApp()
    .use(counter.run.bind(counter))
    .get('/', (ctx) => ctx.state.count);
});

legal('a function with bound leading arguments as middleware', '200 "audit"', () => {
  function tag(this: unknown, name: string, ctx: Context, next: Next) {
    ctx.state.tag = name;
    return next();
  }
  return createApp()
    .use(tag.bind(undefined, 'audit'))
    .get('/', (ctx) => ctx.state.tag);
});

legal('an arrow function property of an instance as middleware', '200 true', () => {
  class Tracing {
    readonly isOn = true;
    readonly run: Middleware = (ctx, next) => {
      ctx.state.isOn = this.isOn;
      return next();
    };
  }
  return createApp()
    .use(new Tracing().run)
    .get('/', (ctx) => ctx.state.isOn);
});

legal('a proxy around middleware', '200 "proxied"', () => {
  const inner: Middleware = (ctx, next) => {
    ctx.state.by = 'proxied';
    return next();
  };
  return createApp()
    .use(new Proxy(inner, {}))
    .get('/', (ctx) => ctx.state.by);
});

legal('a spy of node:test as middleware', '200 1', () => {
  const spy = mock.fn((ctx: Context, next: Next) => {
    ctx.state.calls = 1;
    return next();
  });
  return createApp()
    .use(spy)
    .get('/', (ctx) => ctx.state.calls);
});

legal('middleware that takes its arguments as a list', '200 2', () => {
  const spread: Middleware = (...values) => {
    values[0].state.count = values.length;
    return values[1]();
  };
  return createApp()
    .use(spread)
    .get('/', (ctx) => ctx.state.count);
});

legal('middleware without parameters, which throws during maintenance', '503', () =>
  createApp({ onError: () => undefined })
    .use(() => {
      throw new HttpError(503, 'Back at noon.');
    })
    .get('/', () => 'hello'),
);

legal('one middleware registered twice on purpose', '200 2', () => {
  const count: Middleware = (ctx, next) => {
    ctx.state.count = Number(ctx.state.count ?? 0) + 1;
    return next();
  };
  return createApp()
    .use(count, count)
    .get('/', (ctx) => ctx.state.count);
});

legal(
  'a factory that returns the same middleware for equal options',
  '200 "ok"',
  () => {
    const known = new Map<number, Middleware>();
    const delayOf = (milliseconds: number) => {
      const middleware = known.get(milliseconds) ?? timeout(milliseconds);
      known.set(milliseconds, middleware);
      return middleware;
    };
    const one = createRouter()
      .use(delayOf(1_000))
      .get('/one', () => 'ok');
    const two = createRouter()
      .use(delayOf(1_000))
      .get('/two', () => 'ok');
    return createApp().route('/', one).route('/', two);
  },
  '/two',
);

legal('middleware whose name begins with a capital letter', '200 "Ada"', () => {
  const Authenticated: Middleware = (ctx, next) => {
    ctx.state.user = 'Ada';
    return next();
  };
  return createApp()
    .use(Authenticated)
    .get('/', (ctx) => ctx.state.user);
});

legal('a function declaration with a capital letter and static members', '200 "v2"', () => {
  function Version(ctx: Context, next: Next) {
    ctx.state.version = Version.current;
    return next();
  }
  Version.current = 'v2';
  return createApp()
    .use(Version)
    .get('/', (ctx) => ctx.state.version);
});

legal('async local storage around the pipeline', '200 "t-1"', () => {
  const storage = new AsyncLocalStorage<string>();
  return createApp()
    .use((_ctx, next) => storage.run('t-1', next))
    .get('/', async () => {
      await undefined;
      return storage.getStore();
    });
});

legal('middleware composed by hand', '200 ["a","b"]', () => {
  const mark =
    (name: string): Middleware =>
    (ctx, next) => {
      ctx.state.names = [...((ctx.state.names as string[]) ?? []), name];
      return next();
    };
  const compose =
    (first: Middleware, second: Middleware): Middleware =>
    (ctx, next) =>
      first(ctx, () => second(ctx, next) as void | Promise<void>);
  return createApp()
    .use(compose(mark('a'), mark('b')))
    .get('/', (ctx) => ctx.state.names);
});

legal('an empty list of optional middleware', '200 "hello"', () => {
  const optional: Middleware[] = [];
  return createApp()
    .use(...optional)
    .get('/', () => 'hello');
});

legal('middleware that is chosen by a condition', '200 "hello"', () => {
  const isProduction = false;
  const pass: Middleware = (_ctx, next) => next();
  return createApp()
    .use(isProduction ? secureHeaders() : pass)
    .get('/', () => 'hello');
});

warned(
  'a health router before errorHandler(), on purpose',
  'errorHandler() cannot catch errors from anything registered before it',
  '200 {"status":"live"}',
  (isSilenced) =>
    createApp()
      .route('/', silence(isSilenced, createHealth()))
      .use(errorHandler(), requestId())
      .route('/', users()),
  '/health/live',
);

warned(
  'a health route of functions before errorHandler()',
  'the route GET /up',
  '200 "up"',
  (isSilenced) =>
    createApp()
      .get('/up', () => 'up')
      .use(silence(isSilenced, errorHandler()))
      .route('/', users()),
  '/up',
);

warned(
  'rateLimit() for unknown paths only',
  'rateLimit() runs for no route',
  '404',
  (isSilenced) =>
    createApp()
      .use(errorHandler())
      .route('/', users())
      .use(silence(isSilenced, rateLimit({ points: 10, duration: 60 })))
      .use(notFoundHandler()),
  '/wp-admin',
);

warned(
  'logRequests() for unknown paths only',
  'logRequests() runs for no route',
  '404',
  (isSilenced) => {
    const lines: string[] = [];
    const logger = createLogger({ destination: { write: (line) => lines.push(line) } });
    return createApp()
      .use(errorHandler())
      .route('/', users())
      .use(silence(isSilenced, logRequests(logger)))
      .use(notFoundHandler());
  },
  '/wp-admin',
);

legal(
  'secureHeaders() for pages that no router handles',
  '200 <p>',
  () =>
    createApp()
      .route('/api', users())
      .use(secureHeaders(), (ctx) => ctx.html('<p>')),
  '/about',
);

legal(
  'compression() for the fallback only',
  '200 page',
  () =>
    createApp()
      .route('/api', users())
      .use(compression(), (ctx) => ctx.send('page')),
  '/about',
);

legal(
  'etag() for the fallback only',
  '200 page',
  () =>
    createApp()
      .route('/api', users())
      .use(etag(), (ctx) => ctx.send('page')),
  '/about',
);

legal(
  'a body parser for the fallback only',
  '200 {"a":1}',
  () =>
    createApp()
      .route('/api', users())
      .use(json(), (ctx) => ctx.json(ctx.body)),
  post('/rpc', { a: 1 }),
);

warned(
  'cors() for unknown paths only, so that pages can read the 404',
  'cors() runs for no route',
  '404',
  (isSilenced) =>
    createApp()
      .use(errorHandler())
      .route('/api', users())
      .use(silence(isSilenced, cors()), notFoundHandler()),
  '/nothing',
);

legal(
  'notFoundHandler() for one prefix, before the pages',
  '200 page',
  () =>
    createApp()
      .use(errorHandler())
      .route('/api', users())
      .use('/api', notFoundHandler())
      .use((ctx) => ctx.send('page')),
  '/anything',
);

legal(
  'an error handler for one prefix, after the pages',
  '400 {"code":"BAD"}',
  () =>
    createApp({ onError: () => undefined })
      .get('/', () => 'page')
      .use('/api', errorHandler({ format: ({ code }) => ({ code }) }))
      .get('/api', () => {
        throw new HttpError(400, 'Bad.', { code: 'BAD' });
      }),
  '/api',
);

legal(
  'an outer and an inner error handler',
  '404 {"inner":404}',
  () => {
    const inner = createRouter()
      .use(errorHandler({ format: ({ status }) => ({ inner: status }) }))
      .get('/missing', () => {
        throw new NotFoundError();
      });
    return createApp().use(errorHandler()).route('/api', inner);
  },
  '/api/missing',
);

legal(
  'middleware that handles errors itself, after a router',
  '200 "hello"',
  () =>
    createApp()
      .route('/', users())
      .use(async function catchAll(ctx, next) {
        try {
          await next();
        } catch {
          ctx.status = 500;
        }
      })
      .get('/hello', () => 'hello'),
  '/hello',
);

legal(
  'a route that calls next() for middleware after it',
  '200 "fallback"',
  () =>
    createApp()
      .get('/page', (_ctx, next) => next())
      .use((ctx) => ctx.json('fallback')),
  '/page',
);

legal(
  'middleware for a prefix with a parameter',
  '200 "acme"',
  () =>
    createApp()
      .use('/tenants/:tenant', (ctx, next) => {
        ctx.state.tenant = ctx.params.tenant;
        return next();
      })
      .get('/tenants/:id/users', (ctx) => ctx.state.tenant),
  '/tenants/acme/users',
);

legal(
  'two limits on one route, and a route with a longer timeout',
  '200 "ok"',
  () =>
    createApp()
      .use(errorHandler(), timeout(1_000), rateLimit({ points: 9, duration: 60, name: 'all' }))
      .get(
        '/slow',
        timeout(5_000),
        rateLimit({ points: 2, duration: 60, name: 'slow' }),
        () => 'ok',
      ),
  '/slow',
);

legal(
  'options with a value that is undefined',
  '200 {"a":1}',
  () =>
    createApp({ notFound: undefined, proxy: undefined } as object)
      .use(json({ limit: undefined } as object))
      .post('/', (ctx) => ctx.body),
  post('/', { a: 1 }),
);

legal(
  'options as an instance of a class',
  '200 {"a":1}',
  () => {
    class Settings {
      readonly limit = '2mb';
    }
    return createApp()
      .use(json(new Settings()))
      .post('/', (ctx) => ctx.body);
  },
  post('/', { a: 1 }),
);

legal(
  'frozen options without a prototype',
  '200 {"a":1}',
  () =>
    createApp()
      .use(json(Object.freeze(Object.assign(Object.create(null), { limit: 1_000 }))))
      .post('/', (ctx) => ctx.body),
  post('/', { a: 1 }),
);

legal('a timeout of 50 milliseconds', '200 "fast"', () =>
  createApp()
    .use(timeout(50))
    .get('/', () => 'fast'),
);

warned('a timeout of few milliseconds', 'allows 9 milliseconds', '200 "fast"', (isSilenced) =>
  createApp()
    .use(silence(isSilenced, timeout(9)))
    .get('/', () => 'fast'),
);

warned('a rate limit for most of a day', '60000 seconds', '200 "few"', (isSilenced) =>
  createApp()
    .use(silence(isSilenced, rateLimit({ points: 9, duration: 60_000 })))
    .get('/', () => 'few'),
);

warned('origins with any port', 'which may belong to others', '200 "local"', (isSilenced) =>
  createApp()
    .use(cors({ origin: silence(isSilenced, /^http:\/\/localhost/), credentials: true }))
    .get('/', () => 'local'),
);

legal('origins of all subdomains', '200 "ok"', () =>
  createApp()
    .use(cors({ origin: [/^https:\/\/a\.example$/, /\.example\.com$/], credentials: true }))
    .use(timeout(100), rateLimit({ points: 9, duration: 604_800 }))
    .get('/', () => 'ok'),
);
