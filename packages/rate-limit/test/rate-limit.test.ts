import {
  createApp,
  createRouter,
  errorHandler,
  type Middleware,
  type Problem,
} from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RateLimitOptions, rateLimit } from '../src/index.js';
import { create, limitOf } from './support/limit.js';
import { serve } from './support/serve.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a limit', () => {
  it('allows as many requests as it has points, and reports how many are left', async () => {
    const app = create({ points: 2, duration: 10 });
    const policy = '"default";q=2;w=10';
    const responses = [await app.request('/'), await app.request('/'), await app.request('/')];
    expect(responses.map(limitOf)).toEqual([
      { status: 200, policy, limit: '"default";r=1;t=10', retry: null },
      { status: 200, policy, limit: '"default";r=0;t=10', retry: null },
      { status: 429, policy, limit: '"default";r=0;t=10', retry: '10' },
    ]);
  });

  it('rejects further requests with a problem that states when to retry', async () => {
    const app = create({ points: 1, duration: 10 });
    await app.request('/');
    const problem = (await (await app.request('/')).json()) as Problem;
    expect(problem).toMatchObject({
      status: 429,
      code: 'TOO_MANY_REQUESTS',
      detail: 'Too many requests: the limit is 1 per 10 s. Try again in 10 s.',
    });
  });

  it('works the same over HTTP', async () => {
    const { url } = await serve(create({ points: 1, duration: 10 }));
    expect(limitOf(await fetch(url))).toMatchObject({ status: 200, limit: '"default";r=0;t=10' });
    expect(limitOf(await fetch(url))).toMatchObject({ status: 429, retry: '10' });
  });

  it('resets when the window ends', async () => {
    const app = create({ points: 1, duration: 10 });
    await app.request('/');
    vi.setSystemTime(9_999);
    expect((await app.request('/')).status).toBe(429);
    vi.setSystemTime(10_000);
    expect(limitOf(await app.request('/'))).toMatchObject({
      status: 200,
      limit: '"default";r=0;t=10',
    });
  });

  it.each([
    [1_500, '9'],
    [9_000, '1'],
    [9_999, '1'],
  ])('after %i of 10,000 ms resets in %s whole seconds', async (now, seconds) => {
    const app = create({ points: 1, duration: 10 });
    await app.request('/');
    vi.setSystemTime(now);
    expect(limitOf(await app.request('/'))).toMatchObject({
      limit: `"default";r=0;t=${seconds}`,
      retry: seconds,
    });
  });

  it('allows exactly as many concurrent requests as it has points', async () => {
    const { url } = await serve(create({ points: 7, duration: 10 }));
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
    const statuses = responses.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(7).fill(200), ...Array(13).fill(429)]);
  });

  it.each<[number, Middleware]>([
    [404, (_ctx, next) => next()],
    [500, () => Promise.reject(new Error('broken'))],
  ])('is reported on a %i response', async (status, handler) => {
    const app = createApp()
      .use(errorHandler({ onError: () => undefined }))
      .use(rateLimit({ points: 2, duration: 10 }), handler);
    expect(limitOf(await app.request('/'))).toMatchObject({
      status,
      policy: '"default";q=2;w=10',
      limit: '"default";r=1;t=10',
    });
  });

  it('on a router or a route limits only their requests', async () => {
    const router = createRouter()
      .use(rateLimit({ points: 2, duration: 10 }))
      .get('/', () => 'all')
      .get('/one', rateLimit({ points: 1, duration: 10 }), () => 'one');
    const app = createApp()
      .use(errorHandler())
      .get('/', () => 'free')
      .route('/limited', router);
    const statusOf = async (path: string) => (await app.request(path)).status;
    expect(await statusOf('/limited/one')).toBe(200);
    expect(await statusOf('/limited/one')).toBe(429);
    expect(await statusOf('/limited')).toBe(429);
    expect(await statusOf('/')).toBe(200);
  });

  it('counts separately for each call, also under one name', async () => {
    const options = { points: 2, duration: 10 };
    const app = createApp()
      .use(errorHandler(), rateLimit(options))
      .get('/', () => 'one')
      .get('/both', rateLimit({ ...options, points: 1 }), () => 'both');
    await app.request('/both');
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"default";r=0;t=10' });
    const fresh = createApp().use(rateLimit(options), rateLimit(options), (ctx) => ctx.send(''));
    expect(limitOf(await fresh.request('/'))).toMatchObject({
      limit: '"default";r=1;t=10, "default";r=1;t=10',
    });
  });

  it('can be combined with another on one route', async () => {
    const app = createApp().use(
      rateLimit({ points: 5, duration: 1, name: 'burst' }),
      rateLimit({ points: 100, duration: 3_600, name: 'hour' }),
      (ctx) => ctx.send('hello'),
    );
    expect(limitOf(await app.request('/'))).toMatchObject({
      policy: '"burst";q=5;w=1, "hour";q=100;w=3600',
      limit: '"burst";r=4;t=1, "hour";r=99;t=3600',
    });
  });
});

describe('rateLimit()', () => {
  const store = { add: async () => ({ points: 1, msBeforeNext: 1 }) };

  it.each<[string, Partial<RateLimitOptions>]>([
    ['points', { points: 0 }],
    ['points', { points: 1.5 }],
    ['points', { points: Number.NaN }],
    ['duration', { duration: 0 }],
    ['duration', { duration: 0.5 }],
    ['duration', { duration: 2_147_484 }],
    ['name', { name: '' }],
    ['name', { name: 'a"' }],
    ['name', { name: 'a\\' }],
    ['name', { name: 'naïve' }],
    ['limiter', { limiter: new RateLimiterMemory({ points: 2, duration: 1 }) }],
    ['limiter', { limiter: new RateLimiterMemory({ points: 1, duration: 2 }) }],
  ])('rejects %s of %o', (option, options) => {
    expect(() => rateLimit({ points: 1, duration: 1, ...options })).toThrow(
      expect.objectContaining({
        name: 'SetupError',
        code: 'INVALID_OPTION',
        message: expect.stringContaining(option),
      }),
    );
  });

  it.each<[unknown, ...string[]]>([
    [
      undefined,
      'rateLimit() needs points. Pass an integer of at least 1 or a function.',
      'rateLimit() needs duration. Pass an integer number of seconds from 1 to 2147483.',
    ],
    [
      { points: 1, duration: 1, onFailuer: 'closed' },
      "rateLimit() has no option 'onFailuer'. Did you mean 'onFailure'?",
    ],
    [
      { points: 1, duration: 1, onFailure: 'close' },
      "onFailure of rateLimit() must be 'open', 'closed' or 'memory': got 'close'.",
    ],
    [
      { points: 1, duration: 1, limiter: {} },
      'limiter of rateLimit() must be an object with a consume() method, such as a limiter from rate-limiter-flexible: got an object.',
    ],
    [
      { points: 1, duration: 1, limiter: RateLimiterMemory },
      'limiter of rateLimit() must be an object with a consume() method, such as a limiter from rate-limiter-flexible: got the class RateLimiterMemory.',
    ],
    [
      { points: '5', window: 60, key: 'ip', name: 1, onError: null },
      "points of rateLimit() must be an integer of at least 1 or a function: got '5'.",
      "rateLimit() has no option 'window'. Remove it, or use points, duration, key, cost, skip, after, count, name, store, limiter, onFailure or onError.",
      "key of rateLimit() must be a function: got 'ip'.",
      'name of rateLimit() must be printable ASCII without quotes or backslashes: got 1.',
      'onError of rateLimit() must be a function: got null.',
      'rateLimit() needs duration. Pass an integer number of seconds from 1 to 2147483.',
    ],
    [
      { points: 1, duration: 1, cost: 0, skip: true, count: 'failure', store: {} },
      'cost of rateLimit() must be an integer of at least 1 or a function: got 0.',
      'skip of rateLimit() must be a function: got true.',
      "count of rateLimit() must be 'all' or 'failures': got 'failure'.",
      'store of rateLimit() must be an object with an add() method, such as the result of createRedisStore(): got an object.',
    ],
    [
      { points: 1, duration: 1, store },
      'rateLimit() needs a name with a store, because limits with the same name count together. Pass one.',
    ],
    [
      {
        points: 1,
        duration: 1,
        name: 'a',
        store,
        limiter: new RateLimiterMemory({ points: 1, duration: 1 }),
      },
      'rateLimit() cannot use both store and limiter. Pass one of them.',
    ],
    [
      { points: () => 1, duration: 1, limiter: new RateLimiterMemory({ points: 1, duration: 1 }) },
      'rateLimit() cannot use a function as points with a limiter. Pass a store instead.',
    ],
    [
      { points: 1, duration: 1, count: 'failures', limiter: { consume: () => undefined } },
      'rateLimit() cannot count failures with a limiter that has no reward() method. Pass a store instead.',
    ],
  ])('rejects %o with one error', (options, ...messages) => {
    expect(() => Reflect.apply(rateLimit, undefined, [options])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: messages.join('\n') }),
    );
  });

  it('is a factory, not middleware', () => {
    expect(descriptionOf(rateLimit)?.role).toBe('factory');
  });

  it('accepts the longest window', async () => {
    const app = create({ points: 1, duration: 2_147_483 });
    await app.request('/');
    expect((await app.request('/')).status).toBe(429);
  });
});
