import { describe, expect, it, vi } from 'vitest';
import { createExchange, type Environment } from '../src/exchange/exchange.js';
import {
  Context,
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  NextCalledTwiceError,
} from '../src/index.js';
import { createClientReader } from '../src/server/trusted-proxies.js';
import { sender } from './support/send.js';

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
            "The middleware 'offender' called next() more than once for one request. Call it at most once, and await it.",
        },
      ]);
    },
  );

  it('by ctx.next() without await is detected when everything downstream is synchronous', async () => {
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

  it("is detected in a route's middleware, which is named by its position if anonymous", async () => {
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

const POLICY = { includeStack: false, onError: () => undefined, format: undefined };

const ENVIRONMENT: Environment<Context> = {
  app: {},
  routes: { methods: () => new Set(), queryTypes: () => [] },
  errors: POLICY,
  outermost: POLICY,
  readClient: createClientReader(undefined),
  sample: { next: () => false, restart: () => undefined },
  closing: () => new AbortController().signal,
  validationStatus: 400,
};

it('returns undefined or a promise, in observed and in later requests', async () => {
  const results = new Set<unknown>();
  const app = createApp()
    .use((_ctx, next) => {
      results.add(next());
    })
    .use((ctx) => {
      ctx.json(null);
      return 5;
    });
  for (const _ of Array(150)) await app.request('/');
  expect([...results]).toEqual([undefined]);
});

describe('ctx.next()', () => {
  it('outside middleware is an error', async () => {
    const app = createApp().use((ctx) => {
      const other = new Context(createExchange(ctx.req, ctx.res, ENVIRONMENT));
      expect(() => other.next()).toThrow(
        'ctx.next() was called outside middleware. Call it while a middleware handles the request.',
      );
      ctx.send('refused');
    });
    const send = await sender(app);
    expect((await send('GET', '/')).text).toBe('refused');
  });
});

it('next() and ctx.next() of one middleware share one call, also before synchronous middleware', async () => {
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
