import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, createApp, errorHandler } from '@fairlead/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { rateLimit } from '../src/index.js';
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

  it('of up to 128 visible characters is stored unchanged', async () => {
    const limit = { points: 1, duration: 10 };
    const store = new RateLimiterMemory(limit);
    const consume = vi.spyOn(store, 'consume');
    await create({ ...limit, limiter: store, key: () => 'x'.repeat(128) }).request('/');
    expect(consume).toHaveBeenCalledExactlyOnceWith('x'.repeat(128), 1);
  });
});
