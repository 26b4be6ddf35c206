import { setImmediate as turn } from 'node:timers/promises';
import { exchange } from '@fairlead/test-support/raw-connection';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Application,
  createApp,
  createRouter,
  type Middleware,
  type Next,
  NotFoundError,
} from '../src/index.js';
import { serve } from './support/serve.js';

const FIX = 'Write `await next()` or `return next()`.';

/** Collects the warnings of the process until the test finishes. */
function collectWarnings() {
  const warnings: (Error & { code?: string })[] = [];
  const collect = (warning: Error) => warnings.push(warning);
  process.on('warning', collect);
  onTestFinished(() => void process.off('warning', collect));
  return warnings;
}

/** An application that collects the errors of its requests. */
function collecting() {
  const errors: unknown[] = [];
  return { app: createApp({ onError: (error) => errors.push(error) }), errors };
}

const later: Middleware = async (ctx) => {
  await turn();
  ctx.json('late');
};

/** Requests a path, and waits until the handler has run. */
async function request(app: Application, path = '/', init?: RequestInit): Promise<number> {
  const { status } = await app.request(path, init);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  return status;
}

/** Middleware named `floating` that neither awaits nor returns `next()`. */
const floating: readonly (readonly [string, () => Middleware])[] = [
  [
    'synchronous',
    () =>
      function floating(_ctx, next) {
        next();
      },
  ],
  [
    'asynchronous',
    () =>
      async function floating(_ctx, next) {
        next();
      },
  ],
  [
    'asynchronous after an await',
    () =>
      async function floating(_ctx, next) {
        await null;
        next();
      },
  ],
  [
    'with ctx.next()',
    () =>
      function floating(ctx) {
        ctx.next();
      },
  ],
  [
    'asynchronous with ctx.next()',
    () =>
      async function floating(ctx) {
        ctx.next();
      },
  ],
  [
    'calling next() when it has returned',
    () =>
      function floating(_ctx, next) {
        queueMicrotask(() => next());
      },
  ],
  [
    'calling next() when it has resolved',
    () =>
      async function floating(_ctx, next) {
        setImmediate(() => next());
      },
  ],
  [
    'returning another value',
    () =>
      function floating(_ctx, next) {
        return { next: next() };
      },
  ],
];

describe.each(floating)('next() that is neither awaited nor returned, %s', (_, create) => {
  it('is a warning, once, that names the middleware', async () => {
    const warnings = collectWarnings();
    const { app, errors } = collecting();
    app.use(create()).get('/users/:id', later);
    expect(await request(app, '/users/7')).toBe(500);
    await request(app, '/users/8');
    expect(warnings).toMatchObject([
      {
        name: 'FairleadWarning',
        code: 'FAIRLEAD_FLOATING_NEXT',
        message: expect.stringMatching(
          /^The middleware 'floating' neither awaited nor returned next\(\) for GET \/users\/(7|:id)\. .+\n {2}At: test\/observed-steps\.test\.ts:/,
        ),
      },
    ]);
    expect(warnings[0]?.message).toContain(FIX);
    expect(errors[0]).toMatchObject({ code: 'NO_RESPONSE' });
  });

  it('does not lose an error downstream', async () => {
    collectWarnings();
    const { app, errors } = collecting();
    const cause = new Error('No database.');
    app
      .use((ctx, next) => {
        ctx.json('sent');
        return next();
      })
      .use(create())
      .use(async () => {
        await turn();
        throw cause;
      });
    expect(await request(app)).toBe(200);
    expect(await request(app)).toBe(200);
    const error = expect.objectContaining({
      message: `An error occurred downstream of the middleware 'floating', which neither awaited nor returned next() for GET /. ${FIX}`,
      cause,
    });
    expect(errors).toEqual([error, error]);
  });
});

it('an error that comes before the middleware has returned is not lost', async () => {
  const warnings = collectWarnings();
  const { app, errors } = collecting();
  app
    .use(async (ctx, next) => {
      next();
      await turn();
      ctx.json('sent');
    })
    .use(async () => {
      throw new Error('At once.');
    });
  expect(await request(app)).toBe(200);
  expect(errors).toMatchObject([{ cause: { message: 'At once.' } }]);
  expect(warnings).toHaveLength(1);
});

it('next() that fails shortly before it is awaited is no mistake', async () => {
  const warnings = collectWarnings();
  const { app, errors } = collecting();
  app
    .use(async (_ctx, next) => {
      const downstream = next();
      // A value from a cache, behind several promises.
      for (let turns = 0; turns < 20; turns += 1) await null;
      await downstream;
    })
    .use(async () => {
      throw new NotFoundError();
    });
  expect(await request(app)).toBe(404);
  expect([...warnings, ...errors]).toEqual([]);
});

it('the error of a request without a response names the middleware', async () => {
  collectWarnings();
  const { app, errors } = collecting();
  app
    .get(
      '/a',
      (_ctx, next) => {
        next();
      },
      later,
    )
    .get('/b', () => undefined);
  expect(await request(app, '/a')).toBe(500);
  expect(errors[0]).toMatchObject({
    code: 'NO_RESPONSE',
    message: `The middleware 'middleware#0' neither awaited nor returned next() for GET /a. ${FIX}`,
  });
  await request(app, '/b');
  expect(errors.at(-1)).toMatchObject({
    message: expect.stringContaining('The route GET /b sent no response.'),
  });
});

it('every middleware of a request is reported', async () => {
  const warnings = collectWarnings();
  const { app } = collecting();
  const create = (name: string): Middleware => {
    const middleware: Middleware = async (_ctx, next) => {
      next();
      await turn();
    };
    return Object.defineProperty(middleware, 'name', { value: name });
  };
  const router = createRouter().use(create('inner')).get('/', later);
  app.use(create('outer')).use('/', create('prefixed')).route('/', router);
  await request(app);
  const names = warnings.map(({ message }) => /'(.*?)'/.exec(message)?.[1]);
  expect(names.sort()).toEqual(['inner', 'outer', 'prefixed']);
});

it('a handler that passes the request on is reported once', async () => {
  const warnings = collectWarnings();
  const { app } = collecting();
  app
    .get('/', function handler(_ctx, next) {
      next();
    })
    .get(
      '/composed',
      (_ctx, next) => next(),
      function handler(_ctx, next) {
        next();
      },
    )
    .use(later);
  await request(app);
  await request(app, '/composed');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining("'handler'"),
    expect.stringContaining("'handler'"),
  ]);
});

describe('next() that is', () => {
  it.each<[string, Middleware]>([
    ['awaited', async (_ctx, next) => void (await next())],
    [
      'awaited later',
      async (_ctx, next) => {
        const result = next();
        await turn();
        await result;
      },
    ],
    ['returned', (_ctx, next) => next()],
    ['returned by an asynchronous function', async (_ctx, next) => next()],
    ['awaited as ctx.next()', async (ctx) => void (await ctx.next())],
    ['returned as ctx.next()', (ctx) => ctx.next()],
    ['returned with a callback', (_ctx, next) => Promise.resolve(next()).then(() => undefined)],
    ['awaited with others', async (_ctx, next) => void (await Promise.all([next(), turn()]))],
    ['raced', (_ctx, next) => Promise.race([next(), turn(50)])],
    ['called by a promise', (_ctx, next) => turn().then(next)],
  ])('%s is no mistake', async (_, middleware) => {
    const warnings = collectWarnings();
    const { app, errors } = collecting();
    app.use(middleware, (_ctx, next) => next(), middleware).use(later);
    expect(await request(app)).toBe(200);
    expect([...warnings, ...errors]).toEqual([]);
  });

  it('followed only by synchronous functions need not be awaited', async () => {
    const warnings = collectWarnings();
    const app = createApp().use(
      (_ctx, next) => {
        next();
      },
      (ctx) => ctx.json(1),
    );
    expect(await request(app)).toBe(200);
    expect(warnings).toEqual([]);
  });

  it('awaited passes errors on', async () => {
    const { app, errors } = collecting();
    const cause = new Error('No database.');
    const caught = vi.fn();
    app
      .use(async (_ctx, next) => {
        try {
          await next();
        } catch (error) {
          caught(error);
          throw error;
        }
      })
      .use((ctx) => ctx.next())
      .use(async (_ctx, next) => next())
      .use(async () => {
        throw cause;
      });
    expect(await request(app)).toBe(500);
    expect(caught).toHaveBeenCalledExactlyOnceWith(cause);
    expect(errors).toEqual([cause]);
  });
});

it('a rare mistake is found after many calls, and then loses no more errors', async () => {
  const warnings = collectWarnings();
  const { app, errors } = collecting();
  app
    .use((ctx, next) => {
      const result = next();
      if (ctx.get('X-Float') === undefined) return result;
      ctx.json('sent');
    })
    .use(async (ctx) => {
      await turn();
      if (ctx.get('X-Float') === 'error') throw new Error('No database.');
      ctx.json('late');
    });
  const { port } = await serve(app);
  const get = (...headers: readonly string[]) =>
    ['GET / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n');
  const floats = get('X-Float: yes').repeat(4_095);
  await exchange(port, `${get().repeat(150)}${floats}${get('X-Float: yes', 'Connection: close')}`);
  await turn();
  expect(warnings).toHaveLength(1);
  await app.request('/', { headers: { 'X-Float': 'error' } });
  await turn();
  await turn();
  expect(errors.at(-1)).toMatchObject({ cause: { message: 'No database.' } });
});

describe('next() with an error', () => {
  it.each<[string, Middleware]>([
    ['as from Express', (_ctx, next: (error: Error) => unknown) => next(new Error('Denied.'))],
    [
      'as a callback of a promise',
      (_ctx, next) => Promise.reject(new Error('Denied.')).catch(next),
    ],
  ])('throws it, %s', async (_, middleware) => {
    const handler = vi.fn();
    const { app, errors } = collecting();
    app.use(middleware).use(handler);
    expect(await request(app)).toBe(500);
    expect(errors).toEqual([new Error('Denied.')]);
    expect(handler).not.toHaveBeenCalled();
  });
});

describe('a middleware that returns a function', () => {
  const createAuth = (): Middleware => (_ctx, next: Next) => next();
  const createAsync = async () => createAuth();

  it.each([
    ['createAuth', createAuth],
    ['createAsync', createAsync],
  ])('is a 500 that says to call it: %s', async (name, factory) => {
    const { app, errors } = collecting();
    app.use('/api', factory).get('/api/users', () => []);
    for (let count = 0; count < 120; count += 1) await app.request('/api/users');
    expect(new Set(errors.map(String))).toEqual(
      new Set([
        `InternalServerError: The middleware '${name}' returned a function, and did not respond to GET /api/users. If it is a factory, call it where you register it: ${name}().`,
      ]),
    );
    expect(errors[0]).toMatchObject({ code: 'NO_RESPONSE' });
  });

  it('is a 500 that says to call next, if that is the function', async () => {
    const { app, errors } = collecting();
    app.use('/api', function signIn(_ctx, next) {
      return next;
    });
    app.get('/api/users', () => []);
    for (let count = 0; count < 120; count += 1) await app.request('/api/users');
    expect(errors.map(String)).toContain(
      "InternalServerError: The middleware 'signIn' returned next, and did not respond to GET /api/users. Call it: return next().",
    );
  });

  it('may do so if it responds or calls next()', async () => {
    const { app, errors } = collecting();
    app
      .use((_ctx, next) => {
        next();
        return () => undefined;
      })
      .use((ctx) => {
        ctx.json(1);
        return () => undefined;
      });
    expect(await request(app)).toBe(200);
    expect(errors).toEqual([]);
  });
});

describe('a request without a response', () => {
  const auth: Middleware = async () => undefined;
  const pass: Middleware = (_ctx, next) => next();

  it.each<[string, (app: Application) => Application]>([
    ['of the application', (app) => app.use(pass, auth).get('/a', later)],
    ['of a prefix', (app) => app.use('/a', pass, auth).get('/a', later)],
    ['of a router', (app) => app.route('/', createRouter().use(auth).get('/a', later))],
    ['of a route', (app) => app.get('/a', pass, auth, later)],
  ])('names the middleware %s that ended it', async (_, register) => {
    const { app, errors } = collecting();
    expect(await request(register(app), '/a')).toBe(500);
    expect(errors[0]).toMatchObject({
      code: 'NO_RESPONSE',
      message: expect.stringContaining(": 'auth' neither responded nor called next(). "),
    });
  });

  it('names the handler that ended it, which has no name, after middleware', async () => {
    const { app, errors } = collecting();
    app.get('/a', pass, async () => undefined);
    expect(await request(app, '/a')).toBe(500);
    expect(errors[0]).toMatchObject({
      code: 'NO_RESPONSE',
      message: expect.stringContaining(
        "The route GET /a sent no response: 'handler' neither responded nor called next(). ",
      ),
    });
  });

  it('is named at the latest in the next request', async () => {
    const { app, errors } = collecting();
    let isSilent = false;
    app.get(
      '/a',
      function sometimes(_ctx, next) {
        if (!isSilent) return next();
      },
      () => 'ok',
    );
    for (let count = 0; count < 300; count += 1) await request(app, '/a');
    isSilent = true;
    await request(app, '/a');
    await request(app, '/a');
    expect(errors.map(String)).toEqual([
      expect.not.stringContaining("'sometimes'"),
      expect.stringContaining("'sometimes' neither responded nor called next()"),
    ]);
  });

  it('names nobody if the functions called next()', async () => {
    const { app, errors } = collecting();
    app.get(
      '/a',
      async (_ctx, next) => {
        await Promise.resolve(next()).catch(() => undefined);
      },
      () => Promise.reject(new Error('swallowed')),
    );
    await request(app, '/a');
    expect(String(errors[0])).toContain('The route GET /a sent no response. Return');
  });
});
