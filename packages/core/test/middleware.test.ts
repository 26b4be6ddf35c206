import { describe, expect, it, vi } from 'vitest';
import {
  Context,
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  NextCalledTwiceError,
} from '../src/index.js';
import { sender } from './support/send.js';

/** Middleware that writes to a log before and after what is below it. */
function tracer(log: string[], name: string): Middleware {
  return async (_ctx, next) => {
    log.push(`${name} in`);
    await next();
    log.push(`${name} out`);
  };
}

describe('middleware', () => {
  it('runs in the order of registration and unwinds in reverse', async () => {
    const log: string[] = [];
    const router = createRouter()
      .get('/', tracer(log, 'route'), (ctx) => {
        log.push('handler');
        ctx.json(null);
      })
      .use(tracer(log, 'router'));
    const app = createApp()
      .use(tracer(log, 'first'), tracer(log, 'second'))
      .route('/', router)
      .use(tracer(log, 'unreached'));
    const send = await sender(app);
    await send('GET', '/');
    expect(log).toEqual([
      'first in',
      'second in',
      'router in',
      'route in',
      'handler',
      'route out',
      'router out',
      'second out',
      'first out',
    ]);
  });

  it('of a router runs only for a route that matched', async () => {
    const log: string[] = [];
    const router = createRouter()
      .use(tracer(log, 'router'))
      .get('/a', (ctx) => ctx.json(null));
    const send = await sender(createApp().route('/', router));
    await send('GET', '/b');
    await send('POST', '/a');
    expect(log).toEqual([]);
    await send('GET', '/a');
    expect(log).toEqual(['router in', 'router out']);
  });

  it('that does not call next keeps what is below it from running', async () => {
    const log: string[] = [];
    const app = createApp()
      .use((ctx) => ctx.send('here'))
      .use(tracer(log, 'below'));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('here');
    expect(log).toEqual([]);
  });

  it('may call ctx.next() in place of its next argument', async () => {
    const log: string[] = [];
    const byContext: Middleware = async (ctx) => {
      log.push('in');
      await ctx.next();
      log.push('out');
    };
    const app = createApp()
      .use(byContext, tracer(log, 'middle'), byContext)
      .use((ctx) => ctx.json(null));
    const send = await sender(app);
    await send('GET', '/');
    expect(log).toEqual(['in', 'middle in', 'in', 'out', 'middle out', 'out']);
  });

  it('may call ctx.next() after awaiting something else', async () => {
    const app = createApp()
      .use(async (ctx) => {
        await Promise.resolve();
        await ctx.next();
      })
      .use((ctx) => ctx.send('below'));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('below');
  });

  it('catches what is thrown below it, whether it is asynchronous or not', async () => {
    const catches: Middleware = async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        ctx.send(`caught ${String(error)}`);
      }
    };
    const router = createRouter()
      .get('/sync', () => {
        throw 'at once';
      })
      .get('/async', async () => {
        throw 'later';
      });
    const send = await sender(createApp().use(catches).route('/', router));
    expect((await send('GET', '/sync')).text).toBe('caught at once');
    expect((await send('GET', '/async')).text).toBe('caught later');
  });

  it('may return a thenable that is no Promise', async () => {
    const app = createApp().use((ctx) => ({
      // biome-ignore lint/suspicious/noThenProperty: the thenable is what the test is about.
      then(settle: (value: unknown) => void) {
        ctx.send('settled');
        settle(undefined);
      },
    }));
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('settled');
  });

  it('of one request does not share state with that of another', async () => {
    const app = createApp().use((ctx) => {
      const before = { ...ctx.state };
      ctx.state.seen = true;
      ctx.json(before);
    });
    const send = await sender(app);
    await send('GET', '/');
    expect((await send('GET', '/')).json()).toEqual({});
  });
});

describe('a second call of next', () => {
  const below: readonly (readonly [string, Middleware])[] = [
    ['a synchronous handler', (ctx) => ctx.json(null)],
    ['an asynchronous handler', async (ctx) => ctx.json(null)],
  ];
  const offenders: readonly (readonly [string, Middleware])[] = [
    [
      'next() awaited',
      async function offender(_ctx, next) {
        await next();
        await next();
      },
    ],
    [
      'next() not awaited',
      function offender(_ctx, next) {
        void next();
        void next();
      },
    ],
    [
      'ctx.next() awaited',
      async function offender(ctx) {
        await ctx.next();
        await ctx.next();
      },
    ],
    [
      'next() after ctx.next()',
      async function offender(ctx, next) {
        await ctx.next();
        await next();
      },
    ],
  ];
  const cases = below.flatMap(([handlerName, handler]) =>
    offenders.map(([name, offender]) => [name, handlerName, offender, handler] as const),
  );

  it.each(cases)(
    'by %s above %s is an error that names the middleware',
    async (_, __, offender, handler) => {
      const errors: unknown[] = [];
      const app = createApp().use(
        errorHandler({ onError: (error) => errors.push(error) }),
        offender,
        handler,
      );
      const send = await sender(app);
      const reply = await send('GET', '/');
      expect(reply.status).toBe(500);
      expect(reply.json()).toMatchObject({ code: 'NEXT_CALLED_TWICE' });
      expect(errors).toEqual([new NextCalledTwiceError('offender')]);
      expect(errors).toMatchObject([
        {
          message:
            "The middleware 'offender' called next() more than once for one request. Call it once at most, and await it.",
        },
      ]);
    },
  );

  it('by ctx.next() not awaited is found where all below it is synchronous', async () => {
    const errors: unknown[] = [];
    const app = createApp().use(
      errorHandler({ onError: (error) => errors.push(error) }),
      function offender(ctx) {
        void ctx.next();
        void ctx.next();
      },
      (ctx) => ctx.json(null),
    );
    const send = await sender(app);
    expect((await send('GET', '/')).status).toBe(500);
    expect(errors).toEqual([new NextCalledTwiceError('offender')]);
  });

  it('is found in middleware of a route, and a nameless one is told by its place', async () => {
    const errors: unknown[] = [];
    const router = createRouter().get(
      '/',
      (_ctx, next) => next(),
      async (_ctx, next) => {
        await next();
        await next();
      },
      (ctx) => ctx.json(null),
    );
    const app = createApp()
      .use(errorHandler({ onError: (error) => errors.push(error) }))
      .route('/', router);
    const send = await sender(app);
    await send('GET', '/');
    expect(errors).toEqual([new NextCalledTwiceError('middleware#1')]);
  });
});

describe('ctx.next()', () => {
  it('outside of a middleware is an error', async () => {
    const app = createApp().use((ctx) => {
      const other = new Context(ctx.req, ctx.res, { methods: () => new Set() });
      expect(() => other.next()).toThrow('ctx.next() was called outside of a middleware.');
      ctx.send('refused');
    });
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('refused');
  });
});

it('next() and ctx.next() of one middleware count as one, above a synchronous one', async () => {
  const onError = vi.fn();
  const secret = vi.fn();
  const twice: Middleware = (ctx, next) => {
    next();
    ctx.next();
  };
  const deny: Middleware = (ctx) => {
    ctx.status = 401;
  };
  const app = createApp().use(errorHandler({ onError }), twice, deny, secret);
  expect((await app.request('/')).status).toBe(500);
  expect(secret).not.toHaveBeenCalled();
  expect(onError.mock.calls[0]?.[0]).toMatchObject({
    message: expect.stringContaining("'twice'"),
  });
});
