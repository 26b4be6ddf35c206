import {
  Controller,
  controllersPlugin,
  Post,
  UseGuard,
  UseMiddleware,
} from '@fairlead/controllers';
import { createApp, createRouter, HttpError } from '@fairlead/core';
import { type RedisServer, startRedis } from '@fairlead/test-support/redis-server';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RedisClient, type RedisIdempotencyOptions, redisIdempotency } from '../src/redis.js';
import { errorOf, testIdempotency } from './support/idempotency.js';

async function connect(path: string) {
  const client = createClient({
    disableOfflineQueue: true,
    socket: { path, reconnectStrategy: () => 10 },
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

let server: RedisServer;
let client: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  server = await startRedis();
  client = await connect(server.path);
});
beforeEach(() => client.flushAll());
afterAll(async () => {
  client.destroy();
  await server.stop();
});

describe('keys in Redis', () => {
  testIdempotency(() => {
    const effects: string[] = [];
    return {
      once: (options) => redisIdempotency(client, options),
      add: async (item) => effects.push(item),
      items: () => effects,
      async expire() {
        for (const key of await client.keys('idempotency:*')) await client.pExpire(key, 0);
      },
      notKept: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
    };
  });
});

/** Serves a handler that runs once for each key. */
function serve(
  handler: () => unknown,
  options: Partial<RedisIdempotencyOptions> = {},
  redis: RedisClient = client,
) {
  const errors: unknown[] = [];
  let runs = 0;
  const app = createApp({ onError: (error) => errors.push(error) }).post(
    '/',
    redisIdempotency(redis, { principal: () => 'ada', ...options }),
    () => {
      runs += 1;
      return handler();
    },
  );
  const post = () => app.request('/', { method: 'POST', headers: { 'Idempotency-Key': 'k' } });
  return { app, post, errors, runs: () => runs };
}

const KEY = 'idempotency:["ada","k"]';
const UNKNOWN = [409, 'IDEMPOTENCY_OUTCOME_UNKNOWN'];

describe('redisIdempotency()', () => {
  it('never runs a request again whose process has ended, or that ends late', async () => {
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const handler = async () => {
      started.resolve();
      await ended.promise;
      return { paid: true };
    };
    const { post, runs } = serve(handler, { lostAfter: 100, patience: 5_000 });
    const first = post();
    await started.promise;
    // It waits until then.
    expect(await errorOf(await post())).toEqual(UNKNOWN);
    ended.resolve();
    expect(await (await first).json()).toEqual({ paid: true });
    const second = await post();
    expect([second.headers.get('Idempotency-Replayed'), await second.json()]).toEqual([
      'true',
      { paid: true },
    ]);
    expect(runs()).toBe(1);
  });

  it('never runs a request again after an error that may hide a write', async () => {
    for (const error of [new Error('bug'), new HttpError(502, 'The bank is down.')]) {
      await client.flushAll();
      const { post, runs } = serve(() => {
        throw error;
      });
      expect((await post()).status).toBeGreaterThanOrEqual(500);
      expect(await errorOf(await post())).toEqual(UNKNOWN);
      expect(runs()).toBe(1);
    }
  });

  it('runs a request again after an error below 500', async () => {
    for (const error of [
      new HttpError(404, 'No such order.'),
      Object.assign(new Error('As of http-errors.'), { status: 404, expose: true }),
    ]) {
      await client.flushAll();
      const { post, runs } = serve(() => {
        throw error;
      });
      expect([(await post()).status, (await post()).status, runs()]).toEqual([404, 404, 2]);
    }
  });

  it('runs a request again after the errors that forgets lists', async () => {
    const handler = () => {
      throw new HttpError(503, 'Later.');
    };
    const { post, runs } = serve(handler, { forgets: [503] });
    expect([(await post()).status, (await post()).status, runs()]).toEqual([503, 503, 2]);
    expect(await client.exists(KEY)).toBe(0);
  });

  it('keeps the key and the response for its lifetime, below its prefix', async () => {
    const { post } = serve(() => 'ok', { lifetime: 3_600_000, prefix: 'shop:' });
    await post();
    const left = await client.pTTL('shop:["ada","k"]');
    expect(left).toBeGreaterThan(3_500_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
  });

  it.each([
    ['', () => undefined],
    [
      ', and throws then',
      () => {
        throw new HttpError(404, 'Too late.');
      },
    ],
  ])('never runs a request again whose handler has taken over the response%s', async (_, end) => {
    const { app, errors } = serve(() => undefined);
    let runs = 0;
    const once = redisIdempotency(client, { principal: () => 'ada', forgets: [500] });
    app.post('/raw', once, (ctx) => {
      runs += 1;
      ctx.takeOver().end('paid');
      end();
    });
    const post = () => app.request('/raw', { method: 'POST', headers: { 'Idempotency-Key': 'r' } });
    expect(await (await post()).text()).toBe('paid');
    expect(await errorOf(await post())).toEqual(UNKNOWN);
    expect([runs, errors.length > 0]).toEqual([1, true]);
  });

  it('cannot keep a stream, and does not run it again', async () => {
    const { app, post, errors } = serve(() => new Blob(['x']));
    expect((await post()).status).toBe(500);
    expect(String(errors[0])).toContain('cannot keep the response to POST /: it is a stream');
    expect(await errorOf(await post())).toEqual(UNKNOWN);
    expect((await app.request('/', { method: 'POST' })).status).toBe(200);
  });

  it('replays bytes, and a response without a body', async () => {
    const bytes = Uint8Array.from([0, 255, 128, 10]);
    const { post } = serve(() => bytes);
    const bodyOf = async () => new Uint8Array(await (await post()).arrayBuffer());
    expect([await bodyOf(), await bodyOf()]).toEqual([bytes, bytes]);
    await client.flushAll();
    const empty = serve((): unknown => undefined);
    empty.app.post('/empty', redisIdempotency(client, { principal: () => 'ada' }), (ctx) => {
      ctx.status = 204;
    });
    const send = () =>
      empty.app.request('/empty', { method: 'POST', headers: { 'Idempotency-Key': 'e' } });
    for (const replayed of [null, 'true']) {
      const response = await send();
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(response.headers.get('Idempotency-Replayed')).toBe(replayed);
    }
  });

  it('responds with 503 and runs nothing while Redis is down, and runs after', async () => {
    const { post, runs } = serve(() => 'ok');
    await server.kill();
    await expect.poll(() => client.isReady).toBe(false);
    const response = await post();
    expect([response.headers.get('Retry-After'), ...(await errorOf(response))]).toEqual([
      ...['1', 503, 'IDEMPOTENCY_UNAVAILABLE'],
    ]);
    expect(runs()).toBe(0);
    await server.start();
    await expect.poll(() => client.isReady, { timeout: 10_000 }).toBe(true);
    expect([(await post()).status, runs()]).toEqual([200, 1]);
  });

  it('forgets a key whose beginning Redis has not confirmed in time', async () => {
    const { post, runs, errors } = serve(() => 'ok', { patience: 500 });
    await client.sendCommand(['CLIENT', 'PAUSE', '1500']);
    expect(await errorOf(await post())).toEqual([503, 'IDEMPOTENCY_UNAVAILABLE']);
    await client.ping();
    await expect.poll(() => client.exists(KEY)).toBe(0);
    expect([(await post()).status, runs()]).toEqual([200, 1]);
    expect(String(Object(errors[0]).cause)).toContain('did not respond within 500 ms');
  });

  it('sends the response if Redis cannot keep it, reports that, and does not run it again', async () => {
    let fails = false;
    const lossy: RedisClient = {
      eval: (...call) =>
        fails ? Promise.reject(new Error('Socket closed.')) : client.eval(...call),
    };
    const handler = () => {
      fails = true;
      return 'paid';
    };
    const { post, runs, errors } = serve(handler, { lostAfter: 100 }, lossy);
    expect(await (await post()).json()).toBe('paid');
    expect(errors.map(String)).toEqual([
      expect.stringContaining('Redis did not record the end of POST /.'),
    ]);
    fails = false;
    expect(await errorOf(await post())).toEqual(UNKNOWN);
    expect(runs()).toBe(1);
  });

  it('reports a key that Redis has lost', async () => {
    const { post, errors } = serve(async () => {
      await client.flushAll();
      return 'paid';
    });
    expect((await post()).status).toBe(200);
    expect(errors.map(String)).toEqual([expect.stringContaining('was not in Redis anymore')]);
  });

  it('is that of applications that share the server, and runs after the guards of controllers', async () => {
    const other = await connect(server.path);
    let runs = 0;
    const create = async (redis: RedisClient) => {
      @Controller('/')
      @UseGuard((ctx) => ctx.get('X-User') === 'ada')
      class Payments {
        @Post('/')
        @UseMiddleware(redisIdempotency(redis, { principal: () => 'ada' }))
        pay() {
          runs += 1;
          return { runs };
        }
      }
      const router = createRouter();
      const app = createApp().route('/', router);
      await app.plugin(controllersPlugin({ router, controllers: [Payments] }));
      return async (user: string) => {
        const headers = { 'Idempotency-Key': 'k', 'X-User': user };
        const response = await app.request('/', { method: 'POST', headers });
        return [response.status, Reflect.get(Object(await response.json()), 'runs')];
      };
    };
    const [one, two] = [await create(client), await create(other)];
    const results = await Promise.all([one('ada'), two('ada'), one('ada'), two('ada')]);
    expect(results).toEqual(results.map(() => [200, 1]));
    expect(await two('eve')).toEqual([403, undefined]);
    other.destroy();
  });
});
