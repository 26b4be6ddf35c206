import { type Context, createApp, errorHandler } from '@fairlead/core';
import { shareContext } from '@fairlead/middleware';
import { collectGarbage } from '@fairlead/test-support/collect-garbage';
import {
  BurstyRateLimiter,
  RateLimiterMemory,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RateLimiter, rateLimit } from '../src/index.js';
import { create, limitOf } from './support/limit.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a limiter', () => {
  const limit = { points: 1, duration: 10 };

  it('can be shared by several applications', async () => {
    const limiter = new RateLimiterMemory(limit);
    expect((await create({ ...limit, limiter }).request('/')).status).toBe(200);
    expect((await create({ ...limit, limiter }).request('/')).status).toBe(429);
  });

  it('can be a wrapper without a limit', async () => {
    const limiter = new RLWrapperTimeouts({
      limiter: new RateLimiterMemory(limit),
      timeoutMs: 5_000,
    });
    const app = create({ ...limit, limiter });
    expect((await app.request('/')).status).toBe(200);
    expect(limitOf(await app.request('/'))).toMatchObject({ status: 429, retry: '10' });
  });

  it('that hangs fails in RLWrapperTimeouts', async () => {
    const consume = () => new Promise<never>(() => undefined);
    const hanging = Object.assign(new RateLimiterMemory(limit), { consume });
    const limiter = new RLWrapperTimeouts({ limiter: hanging, timeoutMs: 1 });
    const app = createApp().use(
      errorHandler({ onError: () => undefined }),
      rateLimit({ ...limit, limiter, onFailure: 'closed' }),
    );
    expect((await app.request('/')).status).toBe(503);
  });

  it.each([undefined, new RateLimiterMemory({ points: 1, duration: 3_600 })])(
    'in memory releases a request before its window ends',
    async (limiter) => {
      const options = { points: 1, duration: 3_600, ...(limiter && { limiter }) };
      const contexts: WeakRef<Context>[] = [];
      const app = createApp().use(shareContext(), rateLimit(options), (ctx) => {
        contexts.push(new WeakRef(ctx));
        ctx.send('hello');
      });
      await (await app.request('/')).text();
      const held = () => {
        collectGarbage();
        return contexts.map((context) => context.deref());
      };
      await expect.poll(held).toEqual([undefined]);
    },
  );

  it.each([0, -1, 1])('whose window ends in %i ms reports at least one second', async (ms) => {
    const consume = () => Promise.reject(new RateLimiterRes(3, ms, 4));
    expect(limitOf(await create({ ...limit, limiter: { consume } }).request('/'))).toMatchObject({
      status: 429,
      limit: '"default";r=0;t=1',
      retry: '1',
    });
  });

  it('can be a custom one with plain results', async () => {
    const state = { remainingPoints: 3, msBeforeNext: 1_500 };
    const allowing: RateLimiter = { consume: async () => state };
    const rejecting: RateLimiter = { consume: () => Promise.reject(state) };
    const allowed = await create({ ...limit, limiter: allowing }).request('/');
    expect(limitOf(allowed)).toMatchObject({ status: 200, limit: '"default";r=3;t=2' });
    const rejected = await create({ ...limit, limiter: rejecting }).request('/');
    expect(limitOf(rejected)).toMatchObject({ status: 429, limit: '"default";r=0;t=2' });
  });

  it('can allow bursts', async () => {
    const burst = new RateLimiterMemory({ points: 1, duration: 20, keyPrefix: 'burst' });
    const app = create({
      ...limit,
      limiter: new BurstyRateLimiter(new RateLimiterMemory(limit), burst),
    });
    const responses = [await app.request('/'), await app.request('/'), await app.request('/')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
  });
});

describe('a store that fails', () => {
  const gone = new Error('The store is gone.');
  const message = 'Cannot apply the rate limit: the store failed. Check the store.';
  const limiter: RateLimiter = { consume: () => Promise.reject(gone) };
  const limit = { points: 1, duration: 10, limiter };

  it('is passed to onError of the application by default, and the request is allowed', async () => {
    const onError = vi.fn();
    const app = createApp({ onError }).use(rateLimit(limit), (ctx) => ctx.send('hello'));
    const response = await app.request('/');
    expect(limitOf(response)).toEqual({
      status: 200,
      policy: '"default";q=1;w=10',
      limit: null,
      retry: null,
    });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message, cause: gone }),
      expect.anything(),
    );
  });

  it.each(['open', 'closed', 'memory'] as const)(
    'while points are given back is passed to onError when onFailure is %s',
    async (onFailure) => {
      const works: RateLimiter = {
        consume: async () => ({ remainingPoints: 0, msBeforeNext: 10_000 }),
        reward: () => Promise.reject(gone),
      };
      const options = { ...limit, limiter: works, count: 'failures', onFailure } as const;
      const onError = vi.fn();
      await create({ ...options, onError }).request('/here');
      expect(onError).toHaveBeenCalledExactlyOnceWith(
        gone,
        expect.objectContaining({ path: '/here' }),
      );
      const onAppError = vi.fn();
      const app = createApp({ onError: onAppError }).use(rateLimit(options), (ctx) => ctx.send(''));
      await app.request('/');
      expect(onAppError).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ message, cause: gone }),
        expect.anything(),
      );
    },
  );

  it('is passed to onError with the context', async () => {
    const onError = vi.fn();
    await create({ ...limit, onError }).request('/here');
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      gone,
      expect.objectContaining({ path: '/here' }),
    );
  });

  it("rejects requests when onFailure is 'closed', with the failure as the cause", async () => {
    const onError = vi.fn();
    const app = createApp().use(
      errorHandler({ onError }),
      rateLimit({ ...limit, onFailure: 'closed' }),
      (ctx) => ctx.send('hello'),
    );
    const problem = await (await app.request('/')).json();
    expect(problem).toMatchObject({ status: 503, code: 'RATE_LIMIT_UNAVAILABLE' });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 503, message, cause: gone }),
      expect.anything(),
    );
  });

  it('can throw instead of rejecting', async () => {
    const onError = vi.fn();
    const consume = () => {
      throw gone;
    };
    const app = create({ ...limit, limiter: { consume }, onError });
    expect((await app.request('/')).status).toBe(200);
    expect(onError).toHaveBeenCalledTimes(1);
  });
});
