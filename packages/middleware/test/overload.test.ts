import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import {
  Controller,
  controllersPlugin,
  defineController,
  Get,
  UseMiddleware,
} from '@fairlead/controllers';
import { createApp, createRouter, intended, type Middleware } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { createMetrics } from '@fairlead/metrics';
import { codedWarningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it, vi } from 'vitest';
import { createHealth } from '../src/index.js';
import { type Overload, type OverloadOptions, overload } from '../src/overload.js';

/** Returns the values of the metrics by name. */
function valuesOf({ metrics }: Overload): Readonly<Record<string, number>> {
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value()]));
}

/** A handler that runs until `end` is called. */
function createHandler() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const handler = vi.fn(async () => {
    begun.resolve();
    await promise;
    return 'done';
  });
  return { handler, end: resolve, begun: begun.promise };
}

describe('a request that waits too long', () => {
  it('gets a 503 with Retry-After, which is not reported', async () => {
    const onError = vi.fn();
    const { handler, end, begun } = createHandler();
    const limit = overload({ limit: 1, wait: 0 });
    const app = createApp({ onError }).use(limit).get('/', handler);
    const first = app.request('/');
    await begun;
    const response = await app.request('/');
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(valuesOf(limit)).toEqual({
      overload_limit: 1,
      overload_running: 1,
      overload_queued: 0,
      overload_rejected_late_total: 1,
      overload_rejected_full_total: 0,
    });
    end();
    expect((await first).status).toBe(200);
    expect([onError.mock.calls, handler.mock.calls.length]).toEqual([[], 1]);
  });
});

describe('a request that waits', () => {
  it('runs once there is room, in its own asynchronous context', async () => {
    const storage = new AsyncLocalStorage<string>();
    const paths: unknown[] = [];
    const share: Middleware = (ctx, next) => storage.run(ctx.path, next);
    const { handler, end, begun } = createHandler();
    const limit = overload({ limit: 1, wait: 60_000 });
    const app = createApp()
      .use(share, limit)
      .get('/first', handler)
      .get('/second', () => {
        paths.push(storage.getStore());
        return 'done';
      });
    const first = app.request('/first');
    await begun;
    const second = app.request('/second');
    await expect.poll(() => valuesOf(limit).overload_queued).toBe(1);
    end();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    expect(paths).toEqual(['/second']);
    expect(valuesOf(limit)).toMatchObject({ overload_running: 0, overload_queued: 0 });
  });
});

describe('a request ends', () => {
  const limit = overload({ limit: 1, wait: 0 });
  const failing = () => {
    throw new Error('Failed.');
  };
  const stream = new Readable({ read: () => undefined });
  stream.push('first');
  const app = createApp({ onError: () => undefined })
    .use(limit)
    .get('/value', () => 'done')
    .get('/promise', async () => 'done')
    .get('/throws', failing)
    .get('/rejects', async () => failing())
    .get('/stream', async () => stream)
    .get('/taken-over', async (ctx) => {
      ctx.takeOver().end('done');
      await new Promise(() => undefined);
    });

  it.each([
    ['/value', 200],
    ['/promise', 200],
    ['/throws', 500],
    ['/rejects', 500],
    ['/stream', 200],
    ['/taken-over', 200],
  ])('after %s', async (path, status) => {
    expect((await app.request(path)).status).toBe(status);
    await expect.poll(() => valuesOf(limit).overload_running).toBe(0);
  });
});

it('skip lets requests pass', async () => {
  const { handler, end, begun } = createHandler();
  const app = createApp()
    .use(overload({ limit: 1, wait: 0, skip: ({ path }) => path === '/status' }))
    .get('/', handler)
    .get('/status', () => 'ok');
  const first = app.request('/');
  await begun;
  expect((await app.request('/status')).status).toBe(200);
  end();
  await first;
});

it('responds with 500 when priority returns another value', async () => {
  const errors: unknown[] = [];
  const { handler, end, begun } = createHandler();
  const priority = (() => 'urgent') as unknown as () => 'high';
  const app = createApp({ onError: (error) => errors.push(error) })
    .use(overload({ limit: 1, priority }))
    .get('/', handler);
  const first = app.request('/');
  await begun;
  expect((await app.request('/')).status).toBe(500);
  expect(errors).toEqual([
    expect.objectContaining({
      code: 'INVALID_PRIORITY',
      message:
        "The priority function of overload() returned 'urgent'. Return 'high', 'normal' or 'low'.",
    }),
  ]);
  end();
  await first;
});

describe('a limit of a route', () => {
  const createLimit = () => overload({ limit: 1, wait: 0 });
  let { handler, end, begun } = createHandler();

  @Controller('/class')
  class Reports {
    @UseMiddleware(createLimit())
    @Get('/')
    list() {
      return handler();
    }
  }

  const values = defineController('/value', {
    routes: ({ get }) => ({ list: get('/', { middleware: [createLimit()] }, () => handler()) }),
  });

  it.each(['/function', '/class', '/value'])('rejects requests to it: %s', async (path) => {
    ({ handler, end, begun } = createHandler());
    const router = createRouter();
    const controllers = [Reports, values];
    const app = createApp().get('/function', createLimit(), handler);
    await app.plugin(controllersPlugin({ router, controllers, container: createContainer() }));
    app.route('/', router);
    const first = app.request(path);
    await begun;
    expect((await app.request(path)).status).toBe(503);
    end();
    await first;
  });
});

describe('before the routes of createHealth()', () => {
  const start = (limit: Middleware) => createApp().use(limit).route('/', createHealth());

  it('causes a warning', () => {
    expect(codedWarningsOf(start(overload()))).toEqual([
      'FAIRLEAD_ORDER: overload() may reject GET /health/live, which is for probes. Mount its router before overload(), pass skip, or pass the result of overload() to intended().',
    ]);
  });

  it.each<[string, () => ReturnType<typeof createApp>]>([
    [
      'they are first',
      () =>
        createApp()
          .route('/', createHealth())
          .use(overload())
          .get('/', () => 1),
    ],
    ['it has skip', () => start(overload({ skip: ({ path }) => path.startsWith('/health') }))],
    ['it is intended', () => start(intended(overload()))],
  ])('causes none if %s', (_name, create) => {
    expect(codedWarningsOf(create())).toEqual([]);
  });
});

it('a route of createMetrics() after it causes a warning, too', () => {
  const metrics = createMetrics({ processMetrics: false });
  const app = createApp().use(metrics.middleware, overload()).route('/', metrics.router());
  expect(codedWarningsOf(app)).toEqual([
    'FAIRLEAD_ORDER: overload() may reject GET /metrics, which is for metrics. Mount its router before overload(), pass skip, or pass the result of overload() to intended().',
  ]);
});

describe('options', () => {
  it.each<[object, string]>([
    [{ limit: 0 }, 'limit of overload() must be an integer of at least 1: got 0.'],
    [
      { name: 'a-b' },
      "name of overload() must be lower-case letters, digits and underscores, with a letter first: got 'a-b'.",
    ],
    [{ maxConcurrent: 1 }, "overload() has no option 'maxConcurrent'."],
  ])('refuses %o', (options, message) => {
    expect(() => overload(options as OverloadOptions)).toThrow(message);
  });

  it('name begins the names of the metrics', () => {
    expect(Object.keys(valuesOf(overload({ name: 'reports', limit: 2 })))).toContain(
      'reports_limit',
    );
  });
});
