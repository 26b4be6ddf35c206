import { type Context, createApp, errorHandler } from '@fairlead/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RateLimitOptions, rateLimit, rateLimitsOf } from '../src/index.js';
import { create, limitOf } from './support/limit.js';
import { serve } from './support/serve.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const limit = { points: 2, duration: 10 };

describe('points', () => {
  it('may depend on the request', async () => {
    const points = async ({ query }: Context) => Number(query.points);
    const app = create({ points, duration: 10 });
    expect(limitOf(await app.request('/?points=2'))).toMatchObject({
      status: 200,
      policy: '"default";q=2;w=10',
      limit: '"default";r=1;t=10',
    });
    expect((await app.request('/?points=2')).status).toBe(200);
    expect((await app.request('/?points=2')).status).toBe(429);
    expect((await app.request('/?points=9')).status).toBe(200);
    expect((await app.request('/?points=0')).status).toBe(429);
  });
});

describe('a cost', () => {
  it('counts several points', async () => {
    const app = create({ points: 5, duration: 10, cost: ({ query }) => Number(query.cost ?? 1) });
    expect(limitOf(await app.request('/?cost=3'))).toMatchObject({ limit: '"default";r=2;t=10' });
    expect(limitOf(await app.request('/?cost=0'))).toMatchObject({ limit: '"default";r=2;t=10' });
    expect((await app.request('/?cost=3')).status).toBe(429);
  });

  it('counts for requests that exceed the limit, too', async () => {
    const points = ({ query }: Context) => Number(query.points);
    const app = create({ points, duration: 10 });
    for (const status of [200, 429, 429]) {
      expect((await app.request('/?points=1')).status).toBe(status);
    }
    expect(limitOf(await app.request('/?points=5'))).toMatchObject({ limit: '"default";r=1;t=10' });
  });

  it('can be determined asynchronously', async () => {
    const app = create({ points: 5, duration: 10, cost: async () => 3 });
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"default";r=2;t=10' });
  });

  it.each(['-1', '0.5', 'x', 'Infinity'])('of %s is a 500, and counts nothing', async (value) => {
    const cost = ({ query }: Context) => Number(query.cost ?? 1);
    const app = createApp().use(
      errorHandler({ onError: () => undefined }),
      rateLimit({ ...limit, cost }),
      (ctx) => ctx.send(''),
    );
    expect((await app.request(`/?cost=${value}`)).status).toBe(500);
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"default";r=1;t=10' });
  });
});

describe('skip', () => {
  it('lets requests pass without headers', async () => {
    const app = create({ ...limit, skip: async ({ query }) => query.skip !== undefined });
    const skipped = limitOf(await app.request('/?skip'));
    expect(skipped).toEqual({ status: 200, policy: null, limit: null, retry: null });
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"default";r=1;t=10' });
  });
});

describe('a limit of failures', () => {
  const failures: RateLimitOptions = { ...limit, count: 'failures' };
  const createLogin = (options = failures) =>
    createApp().use(errorHandler(), rateLimit(options), (ctx) => {
      ctx.status = Number(ctx.query.status);
    });

  it('counts only responses of status 400 and higher', async () => {
    const { url } = await serve(createLogin());
    const statusOf = async (status: number) => (await fetch(`${url}/?status=${status}`)).status;
    for (const status of [204, 304, 200, 401, 204, 400])
      expect(await statusOf(status)).toBe(status);
    expect(await statusOf(204)).toBe(429);
  });

  it('counts requests whose client disconnects', async () => {
    const finished = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const app = createApp().use(
      errorHandler(),
      rateLimit({ ...failures, points: 1 }),
      async (ctx) => {
        ctx.onFinish(() => finished.resolve());
        started.resolve();
        await finished.promise;
      },
    );
    const { url } = await serve(app);
    const client = new AbortController();
    const aborted = fetch(url, { signal: client.signal });
    await started.promise;
    client.abort();
    await expect(aborted).rejects.toThrow();
    await finished.promise;
    expect((await fetch(url)).status).toBe(429);
  });

  it('allows no more concurrent attempts than it has points', async () => {
    const { url } = await serve(createLogin());
    const attempts = Array.from(
      { length: 9 },
      async () => (await fetch(`${url}/?status=401`)).status,
    );
    const statuses = (await Promise.all(attempts)).toSorted();
    expect(statuses).toEqual([401, 401, ...Array(7).fill(429)]);
  });

  it('takes nothing from a later window', async () => {
    const counts: [string, number][] = [];
    const store = {
      add: async (key: string, points: number) => {
        counts.push([key, points]);
        return { points: 1, msBeforeNext: 0 };
      },
    };
    const app = createLogin({ ...failures, store, name: 'login' });
    expect((await app.request('/?status=204')).status).toBe(204);
    expect(counts).toEqual([['login:127.0.0.1', 1]]);
  });
});

describe('rateLimitsOf()', () => {
  it('has the state of each limit, also of the one that rejects', async () => {
    const states: object[] = [];
    const app = createApp().use(
      async (ctx, next) => {
        try {
          await next();
        } finally {
          states.push(rateLimitsOf(ctx));
          expect(ctx.state.rateLimits).toBe(rateLimitsOf(ctx));
        }
      },
      errorHandler(),
      rateLimit({ points: 5, duration: 3, name: '__proto__' }),
      rateLimit({ points: 1, duration: 60, name: 'hour' }),
      (ctx) => ctx.send(''),
    );
    await app.request('/');
    await app.request('/');
    const state = (limit: number, remaining: number, reset: number, allowed = true) => ({
      allowed,
      limit,
      remaining,
      reset,
    });
    expect(states.map(Object.entries)).toEqual([
      [
        ['__proto__', state(5, 4, 3)],
        ['hour', state(1, 0, 60)],
      ],
      [
        ['__proto__', state(5, 3, 3)],
        ['hour', state(1, 0, 60, false)],
      ],
    ]);
  });
});

it('applications that share a limit count separately', async () => {
  const middleware = rateLimit({ points: 1, duration: 10 });
  const createOne = () => createApp().use(errorHandler(), middleware, (ctx) => ctx.send(''));
  const [first, second] = [createOne(), createOne()];
  expect((await first.request('/')).status).toBe(200);
  expect((await first.request('/')).status).toBe(429);
  expect((await second.request('/')).status).toBe(200);
});

describe('a store', () => {
  const gone = new Error('The store is gone.');

  it('is asked for the name and the key', async () => {
    const add = vi.fn(async () => ({ points: 2, msBeforeNext: 1_500 }));
    const app = create({ ...limit, store: { add }, name: 'api', key: () => 'ada' });
    expect(limitOf(await app.request('/'))).toMatchObject({ status: 200, limit: '"api";r=0;t=2' });
    expect(add).toHaveBeenCalledExactlyOnceWith('api:ada', 1, 10);
  });

  it("that fails is replaced by memory when onFailure is 'memory'", async () => {
    const onError = vi.fn();
    const store = { add: () => Promise.reject(gone) };
    const app = create({ ...limit, store, name: 'api', onFailure: 'memory', onError });
    const responses = [await app.request('/'), await app.request('/'), await app.request('/')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(onError).toHaveBeenCalledTimes(3);
  });
});
