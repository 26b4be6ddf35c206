import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createApp, errorHandler } from '@fairlead/core';
import { startRedis } from '@fairlead/test-support/redis-server';
import { createClient } from 'redis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RateLimitOptions, rateLimit } from '../src/index.js';
import { createRedisStore } from '../src/redis.js';
import { limitOf } from './support/limit.js';

/** Starts a server and connects a client. */
async function connect() {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const reconnectStrategy = 10;
  const client = createClient({ socket: { path: redis.path, reconnectStrategy } });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  return { redis, client };
}

/** A busy machine may take longer than the default. */
const PATIENT = { timeout: 10_000 };

const limit = { points: 2, duration: 600, name: 'api' };

const create = (options: RateLimitOptions) =>
  createApp().use(errorHandler({ onError: () => undefined }), rateLimit(options), (ctx) => {
    ctx.status = Number(ctx.query.status ?? 200);
    ctx.send('hello');
  });

describe('a limit in Redis', () => {
  it('holds across processes', { timeout: 60_000 }, async () => {
    const { redis } = await connect();
    const points = 50;
    const start = async () => {
      const worker = fork(
        join(import.meta.dirname, 'support/worker.ts'),
        [redis.path, `${points}`],
        {
          execArgv: ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'],
        },
      );
      onTestFinished(() => void worker.kill());
      const [url] = await once(worker, 'message');
      return String(url);
    };
    const urls = await Promise.all([start(), start()]);
    const requests = Array.from({ length: 100 }, async (_, index) => {
      const response = await fetch(String(urls[index % 2]));
      return { url: urls[index % 2], status: response.status };
    });
    const responses = await Promise.all(requests);
    const allowed = responses.filter(({ status }) => status === 200);
    expect(allowed).toHaveLength(points);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(points);
    expect(new Set(responses.map(({ url }) => url)).size).toBe(2);
  });

  it('ends with its window, and stores nothing forever', async () => {
    const { client } = await connect();
    const app = create({
      ...limit,
      duration: 3,
      store: createRedisStore(client, { ...PATIENT, prefix: 'shop:' }),
    });
    const key = 'shop:api:127.0.0.1';
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"api";r=1;t=3' });
    expect(await client.get(key)).toBe('1');
    expect(await client.pTTL(key)).toBeGreaterThan(0);
    await expect.poll(() => client.exists(key)).toBe(0);
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"api";r=1;t=3' });
  });

  it('counts separately below another prefix', async () => {
    const { client } = await connect();
    const statusOf = async (prefix: string) => {
      const store = createRedisStore(client, { ...PATIENT, prefix });
      return (await create({ ...limit, points: 1, store }).request('/')).status;
    };
    expect([await statusOf('a:'), await statusOf('b:'), await statusOf('a:')]).toEqual([
      200, 200, 429,
    ]);
  });

  it('repairs a count that does not expire', async () => {
    const { client } = await connect();
    await client.set('rate-limit:api:127.0.0.1', '1');
    const app = create({ ...limit, store: createRedisStore(client, PATIENT) });
    expect(limitOf(await app.request('/'))).toMatchObject({ limit: '"api";r=0;t=600' });
    expect(await client.pTTL('rate-limit:api:127.0.0.1')).toBeGreaterThan(0);
  });

  it('counts failures only', async () => {
    const { client } = await connect();
    const app = create({ ...limit, count: 'failures', store: createRedisStore(client, PATIENT) });
    const statusOf = async (status: number) => (await app.request(`/?status=${status}`)).status;
    for (const status of [200, 200, 200, 401, 401]) expect(await statusOf(status)).toBe(status);
    expect(await statusOf(200)).toBe(429);
  });

  it('never creates a count below zero', async () => {
    const { client } = await connect();
    const store = createRedisStore(client, PATIENT);
    expect(await store.add('gone', -1, 10)).toEqual({ points: 0, msBeforeNext: 0 });
    expect(await client.exists('rate-limit:gone')).toBe(0);
  });

  it.each([
    ['open', [200, 200, 200]],
    ['closed', [503, 503, 503]],
    ['memory', [200, 200, 429]],
  ] as const)(
    'follows onFailure %s while Redis is down, and counts again after',
    async (onFailure, expected) => {
      const { redis, client } = await connect();
      const onError = vi.fn();
      const app = create({
        ...limit,
        store: createRedisStore(client, PATIENT),
        onFailure,
        onError,
      });
      const statusOf = async () => (await app.request('/')).status;
      expect(await statusOf()).toBe(200);
      await redis.kill();
      await expect.poll(() => client.isReady).toBe(false);
      expect([await statusOf(), await statusOf(), await statusOf()]).toEqual(expected);
      expect(onError).toHaveBeenCalledTimes(onFailure === 'closed' ? 0 : 3);
      await redis.start();
      await expect.poll(() => client.isReady, { timeout: 10_000 }).toBe(true);
      // The server has started empty.
      expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([200, 200, 429]);
    },
  );

  it('does not wait for a server that hangs', { timeout: 20_000 }, async () => {
    const { client } = await connect();
    const onError = vi.fn();
    const store = createRedisStore(client, { timeout: 50 });
    const app = create({ ...limit, store, onFailure: 'open', onError });
    await client.sendCommand(['CLIENT', 'PAUSE', '2000']);
    const responses = [await app.request('/'), await app.request('/'), await app.request('/')];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(onError).toHaveBeenCalledTimes(3);
    expect(onError).toHaveBeenCalledWith(
      new Error('Redis did not respond within 50 ms.'),
      expect.anything(),
    );
    await expect
      .poll(async () => limitOf(await app.request('/')).limit, { timeout: 8_000 })
      .not.toBeNull();
  });
});
