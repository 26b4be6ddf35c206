import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApplicationOptions,
  type Caller,
  createApp,
  errorHandler,
  intended,
  type Middleware,
} from '@fairlead/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RateLimitOptions, type RateLimitStore, rateLimit } from '../src/index.js';
import { createRedisStore, type RedisClient } from '../src/redis.js';
import { create } from './support/limit.js';
import { serve } from './support/serve.js';

describe('a key', () => {
  it('is the remote address by default', async () => {
    const { port } = await serve(create({ points: 1, duration: 10 }));
    const statusFrom = (localAddress: string) =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, localAddress, agent: false })
          .once('response', (response) => resolve(response.resume().statusCode))
          .once('error', reject)
          .end();
      });
    expect(await statusFrom('127.0.0.1')).toBe(200);
    expect(await statusFrom('127.0.0.2')).toBe(200);
    expect(await statusFrom('127.0.0.1')).toBe(429);
  });

  it('is the /64 network of an IPv6 address by default', async () => {
    const app = create({ points: 1, duration: 10 });
    const statusOf = async (ip: string) => (await app.request('/', {}, { ip })).status;
    expect(await statusOf('2001:db8:0:1::1')).toBe(200);
    expect(await statusOf('2001:db8:0:1:ffff::2')).toBe(429);
    expect(await statusOf('2001:db8:0:2::1')).toBe(200);
  });

  it('is the caller of a call without a socket', async () => {
    const app = create({ points: 1, duration: 10 });
    const statusOf = async (caller?: Caller) => (await app.request('/', {}, caller)).status;
    expect(await statusOf({ ip: '192.0.2.1' })).toBe(200);
    expect(await statusOf({ ip: '192.0.2.2' })).toBe(200);
    expect(await statusOf({ ip: '192.0.2.1' })).toBe(429);
    expect(await statusOf()).toBe(200);
    expect(await statusOf({ ip: '127.0.0.1' })).toBe(429);
  });

  it('is the address that a trusted proxy reports, whatever the client sends', async () => {
    const app = createApp({ proxy: 1 }).use(rateLimit({ points: 1, duration: 10 }), (ctx) => {
      ctx.send('');
    });
    const statusOf = async (addresses: string) =>
      (await app.request('/', { headers: { 'X-Forwarded-For': addresses } })).status;
    expect(await statusOf('6.6.6.6, 192.0.2.1')).toBe(200);
    expect(await statusOf('6.6.6.7, 192.0.2.1')).toBe(429);
    expect(await statusOf('6.6.6.7, 192.0.2.2')).toBe(200);
  });

  it('can be read from the context', async () => {
    const app = create({ points: 1, duration: 10, key: (ctx) => ctx.query.user ?? '' });
    const responses = [await app.request('/?user=a'), await app.request('/?user=b')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await app.request('/?user=a')).status).toBe(429);
  });

  it('that throws fails the request and is not reported as a failure of the store', async () => {
    const onError = vi.fn();
    const broken = new Error('no user');
    const key = () => {
      throw broken;
    };
    const app = createApp().use(
      errorHandler({ onError }),
      rateLimit({ points: 1, duration: 1, key }),
    );
    expect((await app.request('/')).status).toBe(500);
    expect(onError).toHaveBeenCalledExactlyOnceWith(broken, expect.anything());
  });

  it('can be read asynchronously', async () => {
    const app = create({ points: 1, duration: 10, key: async (ctx) => String(ctx.query.user) });
    const responses = [await app.request('/?user=a'), await app.request('/?user=b')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect((await app.request('/?user=a')).status).toBe(429);
  });

  it.each([undefined, null, '', 7, {}])('of %o is a 500 that names the fix', async (value) => {
    const onError = vi.fn();
    const key = () => value as string;
    const app = createApp().use(
      errorHandler({ onError }),
      rateLimit({ points: 1, duration: 1, key }),
    );
    expect((await app.request('/')).status).toBe(500);
    const message = expect.stringMatching(
      /^The key function of rateLimit\(\) returned .*\. Return a non-empty string that identifies the client, or let the request pass with skip\.$/,
    );
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: 'INVALID_RATE_LIMIT_VALUE', message }),
      expect.anything(),
    );
  });

  it('is shared by clients without an address', async () => {
    const app = create({ points: 1, duration: 10 });
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-'));
    const socketPath = join(folder, 'http.sock');
    const server = createServer((req, res) => app.handle(req, res)).listen(socketPath);
    onTestFinished(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    await once(server, 'listening');
    const status = async () => {
      const [response] = await once(request({ socketPath, agent: false }).end(), 'response');
      return response.resume().statusCode;
    };
    expect(await status()).toBe(200);
    expect(await status()).toBe(429);
  });

  it.each([
    ['long', 'x'.repeat(129)],
    ['not ASCII', 'naïve'],
    ['a text with a control character', 'a\0'],
    ['a text with a space', 'a b'],
  ])('that is %s is stored as a digest', async (_, key) => {
    const limit = { points: 1, duration: 10 };
    const store = new RateLimiterMemory(limit);
    const consume = vi.spyOn(store, 'consume');
    const app = create({ ...limit, limiter: store, key: (ctx) => key + (ctx.query.more ?? '') });
    await app.request('/');
    await app.request('/?more=y');
    const keys = consume.mock.calls.map(([consumed]) => consumed);
    expect(keys).toEqual([
      expect.stringMatching(/^sha256:[\da-f]{64}$/),
      expect.stringMatching(/^sha256:[\da-f]{64}$/),
    ]);
    expect(new Set(keys).size).toBe(2);
  });

  it('that looks like a digest is not that of another key', async () => {
    const limit = { points: 1, duration: 10 };
    const app = create({ ...limit, key: (ctx) => ctx.get('X-Key') ?? '' });
    const long = 'x'.repeat(129);
    const digest = createHash('sha256').update(long).digest('hex');
    const statusOf = async (key: string) =>
      (await app.request('/', { headers: { 'X-Key': key } })).status;
    expect(await statusOf(`sha256:${digest}`)).toBe(200);
    expect(await statusOf(long)).toBe(200);
    expect(await statusOf(`sha256:${digest}`)).toBe(429);
  });

  it.each([
    ['login', 'ip:203.0.113.9', 'login:ip', '203.0.113.9'],
    ['a:', 'b', 'a', ':b'],
    ['a', 'b', 'a%3Ab', 'b'],
    ['a:b', 'c', 'a%3Ab', 'c'],
    ['a', '%3Ab:c', 'a%3Ab', 'c'],
  ])('of the limits %s and %s is not one of %s and %s', async (name, key, otherName, otherKey) => {
    const counts = new Map<string, number>();
    const add = async (stored: string, points: number) => {
      counts.set(stored, (counts.get(stored) ?? 0) + points);
      return { points: counts.get(stored) ?? 0, msBeforeNext: 1_000 };
    };
    const limit = { points: 1, duration: 10, store: { add } };
    const one = create({ ...limit, name, key: () => key });
    const other = create({ ...limit, name: otherName, key: () => otherKey });
    expect((await one.request('/')).status).toBe(200);
    expect((await other.request('/')).status).toBe(200);
    expect((await one.request('/')).status).toBe(429);
  });

  it('of up to 128 visible characters is stored unchanged', async () => {
    const limit = { points: 1, duration: 10 };
    const store = new RateLimiterMemory(limit);
    const consume = vi.spyOn(store, 'consume');
    await create({ ...limit, limiter: store, key: () => 'x'.repeat(128) }).request('/');
    expect(consume).toHaveBeenCalledExactlyOnceWith('x'.repeat(128), 1);
  });
});

describe('a proxy that the application does not know', () => {
  const limit = { points: 100, duration: 10 };

  /** Returns the warnings that requests cause, each with these headers. */
  async function warningsOf(
    options: ApplicationOptions,
    limits: readonly RateLimitOptions[],
    requests: readonly Record<string, string>[],
  ): Promise<Error[]> {
    const warnings: Error[] = [];
    const record = (warning: Error) => void warnings.push(warning);
    process.on('warning', record);
    onTestFinished(() => void process.off('warning', record));
    const app = createApp(options).use(...limits.map(rateLimit), (ctx) => ctx.send(''));
    const { url } = await serve(app);
    for (const headers of requests) expect((await fetch(url, { headers })).status).toBe(200);
    return warnings;
  }

  it.each([
    ['X-Forwarded-For', '192.0.2.1'],
    ['Forwarded', 'for=192.0.2.1'],
  ])('is reported once, at the first %s', async (name, value) => {
    const header = { [name]: value };
    const warnings = await warningsOf({}, [limit, { ...limit, name: 'b' }], [{}, header, header]);
    expect(warnings).toEqual([
      expect.objectContaining({
        name: 'FairleadWarning',
        code: 'FAIRLEAD_UNKNOWN_PROXY',
        message: expect.stringContaining(
          `A rate limit counts all clients of a proxy together: a request has the header ${name}, but the application trusts no proxy. Pass the number of your proxies, such as createApp({ proxy: 1 }), or createApp({ proxy: 0 }) if there is none.\n  At: test/keys.test.ts:`,
        ),
      }),
    ]);
  });

  it.each<[string, ApplicationOptions, RateLimitOptions]>([
    ['a proxy is trusted', { proxy: 1 }, limit],
    ['no proxy is trusted on purpose', { proxy: 0 }, limit],
    ['an address is trusted that has not connected', { proxy: ['192.0.2.9'] }, limit],
    ['the limit has a key', {}, { ...limit, key: (ctx) => ctx.ip }],
    ['requests are not counted', {}, { ...limit, skip: () => true }],
  ])('is not reported if %s', async (_, options, one) => {
    expect(await warningsOf(options, [one], [{ 'X-Forwarded-For': '192.0.2.1' }])).toEqual([]);
  });

  it('is not reported for empty headers', async () => {
    const headers = { 'X-Forwarded-For': '', Forwarded: '' };
    expect(await warningsOf({}, [limit], [headers])).toEqual([]);
  });

  it('is not reported for calls that pass the address of the client', async () => {
    const emit = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => emit.mockRestore());
    const headers = { 'X-Forwarded-For': '192.0.2.1' };
    await create(limit).request('/', { headers }, { ip: '192.0.2.1' });
    expect(emit).not.toHaveBeenCalled();
  });
});

/** Returns the warnings of an application with one route for each middleware. */
function startWarnings(...middleware: readonly [Middleware, ...Middleware[]]) {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  onTestFinished(() => emit.mockRestore());
  const app = createApp();
  for (const [index, one] of middleware.entries()) app.get(`/${index}`, one, () => 1);
  app.seal();
  return emit.mock.calls.map(([message]) => message);
}

describe('limits with the same name', () => {
  const createStore = (): RateLimitStore => ({
    add: async (points) => ({ points: Number(points), msBeforeNext: 1_000 }),
  });
  const client = (): RedisClient => ({ eval: async () => [1, 1_000] });
  const limit = (store: RateLimitStore, points = 5, duration = 60) =>
    rateLimit({ points, duration, name: 'api', store });

  it('cause a warning if one store counts them together and they differ', () => {
    const store = createStore();
    const message = (size: string) =>
      expect.stringContaining(
        `rateLimit() has ${size}, but counts together with a limit of 5 points per 60 s, because both have the name 'api' and the same store. Pass another name, or pass its result to intended().\n  At: test/keys.test.ts:`,
      );
    expect(startWarnings(limit(store), limit(store, 9), limit(store, 5, 3_600))).toEqual([
      message('9 points per 60 s'),
      message('5 points per 3600 s'),
    ]);
  });

  it('cause a warning in Redis stores of the same client and prefix', () => {
    const [one, two] = [client(), client()];
    const [same, again, prefixed, other] = [
      createRedisStore(one),
      createRedisStore(one, { timeout: 100 }),
      createRedisStore(one, { prefix: 'other:' }),
      createRedisStore(two),
    ];
    const warnings = startWarnings(
      limit(same),
      limit(prefixed, 7),
      limit(other, 8),
      limit(again, 9),
    );
    expect(warnings).toEqual([expect.stringMatching(/^rateLimit\(\) has 9 points .* limit of 5 /)]);
  });

  it.each<[string, () => readonly [Middleware, ...Middleware[]]]>([
    [
      'they have the same size',
      () => {
        const store = createStore();
        return [limit(store), limit(store)];
      },
    ],
    ['each has a store', () => [limit(createStore()), limit(createStore(), 9)]],
    [
      'the second is intended',
      () => {
        const store = createStore();
        return [limit(store), intended(limit(store, 9))];
      },
    ],
    [
      'their points are functions',
      () => {
        const [store, points] = [createStore(), () => 5];
        const one = () => rateLimit({ points, duration: 60, name: 'api', store });
        return [limit(store, 9), one()];
      },
    ],
  ])('cause none if %s', (_case, create) => {
    expect(startWarnings(...create())).toEqual([]);
  });
});

describe('a duration that may be in milliseconds', () => {
  it.each([60_000, 61_000, 300_000, 900_000])('causes a warning if it is %d', (duration) => {
    expect(startWarnings(rateLimit({ points: 1, duration }))).toEqual([
      expect.stringContaining(
        `rateLimit() has windows of ${duration} seconds. If you mean milliseconds, pass duration: ${duration / 1_000}; otherwise pass its result to intended().\n  At: `,
      ),
    ]);
  });

  it.each([60, 30_000, 72_000, 86_400, 432_000, 604_800])('causes none if it is %d', (duration) => {
    expect(startWarnings(rateLimit({ points: 1, duration }))).toEqual([]);
  });

  it('causes none if it is intended', () => {
    expect(startWarnings(intended(rateLimit({ points: 1, duration: 60_000 })))).toEqual([]);
  });
});
