import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Context, createApp, type Middleware, NotFoundError } from '@fairlead/core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { KeyOptions } from '../../src/index.js';

/** Middleware that runs once for each key, and the writes of its handlers. */
export interface Keyed {
  once(options: KeyOptions): Middleware;
  add(item: string): Promise<unknown>;
  items(): readonly string[] | Promise<readonly string[]>;
  /** Lets the lifetime of all keys pass. */
  expire(): unknown;
  /** The code of the 409 for a response that was not kept. */
  readonly notKept: string;
}

/** Returns the status and the code of an error. */
export async function errorOf(response: Response): Promise<unknown[]> {
  const code = Reflect.get(Object(await response.json()), 'code');
  return code === undefined ? [response.status] : [response.status, code];
}

const userOf = (ctx: Context) => ctx.get('X-User') ?? 'ada';

/** What all middleware for keys does, wherever it keeps them. */
export function testIdempotency(open: () => Keyed | Promise<Keyed>): void {
  it('responds to all requests with a key as to the first, which runs once', async () => {
    const { once, add, items, expire } = await open();
    let runs = 0;
    const app = createApp({ onError: () => undefined }).post(
      '/orders',
      {
        body: z.object({ item: z.string() }),
        response: { 201: z.object({ id: z.number(), item: z.string() }) },
      },
      once({ principal: userOf }),
      async (ctx) => {
        runs += 1;
        const { item } = ctx.body;
        if (item === 'none') throw new NotFoundError('No such item.');
        await add(item);
        ctx.status = 201;
        ctx.set('Location', `/orders/${runs}`);
        await delay(20);
        return { id: runs, item };
      },
    );
    const post = (key: string | undefined, item: string) =>
      app.request('/orders', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        body: JSON.stringify({ item }),
      });
    const key = `"${randomUUID()}"`;
    const responses = await Promise.all([post(key, 'a'), post(key, 'a'), post(key, 'a')]);
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies)).toEqual(new Set(['{"id":1,"item":"a"}']));
    for (const { status, headers } of responses)
      expect([status, headers.get('Location'), headers.get('Content-Type')]).toEqual([
        201,
        '/orders/1',
        'application/json; charset=utf-8',
      ]);
    const replayed = responses.map(({ headers }) => headers.get('Idempotency-Replayed'));
    expect(replayed.filter((one) => one === 'true')).toHaveLength(2);
    // The same key without quotes, and another request with it.
    expect(await (await post(key.slice(1, -1), 'a')).text()).toBe('{"id":1,"item":"a"}');
    expect(await errorOf(await post(key, 'b'))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    // An error is forgotten, and requests without a key run each time.
    expect((await post('k', 'none')).status).toBe(404);
    expect((await post('k', 'b')).status).toBe(201);
    expect((await post(undefined, 'c')).status).toBe(201);
    expect(await items()).toEqual(['a', 'b', 'c']);
    await expire();
    expect((await post(key, 'd')).status).toBe(201);
  });

  it('responds with 409 while the first request runs for longer than patience', async () => {
    const { once, add, items } = await open();
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = createApp({ onError: () => undefined }).post(
      '/',
      once({ principal: userOf, patience: 1_000 }),
      async () => {
        await add('slow');
        started.resolve();
        await ended.promise;
        return {};
      },
    );
    const post = () => app.request('/', { method: 'POST', headers: { 'Idempotency-Key': 'k' } });
    const first = post();
    await started.promise;
    const second = await post();
    expect([second.headers.get('Retry-After'), ...(await errorOf(second))]).toEqual([
      ...['1', 409, 'IDEMPOTENCY_KEY_IN_USE'],
    ]);
    ended.resolve();
    expect((await first).status).toBe(200);
    expect((await post()).headers.get('Idempotency-Replayed')).toBe('true');
    expect(await items()).toEqual(['slow']);
  });

  it.each([
    ['at once', (response: ServerResponse) => void response.end('paid')],
    ['later', (response: ServerResponse) => void setTimeout(() => response.end('paid'), 5)],
  ])(
    'does not run a request again whose handler takes over the response, and responds %s',
    async (_, respond) => {
      const { once, add, items, notKept } = await open();
      const errors: unknown[] = [];
      const app = createApp({ onError: (error) => void errors.push(error) }).post(
        '/',
        once({ principal: userOf }),
        async (ctx) => {
          await add('order');
          respond(ctx.takeOver());
        },
      );
      const post = () => app.request('/', { method: 'POST', headers: { 'Idempotency-Key': 'k' } });
      expect(await (await post()).text()).toBe('paid');
      expect(await errorOf(await post())).toEqual([409, notKept]);
      // After the commit, of which the database may tell the second request first.
      await expect
        .poll(() => errors.map(String))
        .toContainEqual(expect.stringContaining('cannot keep the response to POST /: '));
      expect(await items()).toEqual(['order']);
    },
  );

  it.each([
    ['text', 'text/csv', 'name\nZoë\n', 'text/csv; charset=utf-8'],
    ['text with a charset', 'text/csv; charset=UTF-8', 'a', 'text/csv; charset=UTF-8'],
    ['bytes', 'text/csv', Buffer.from('name\n'), 'text/csv'],
  ])('responds again with the type of %s', async (_, type, body, sent) => {
    const { once } = await open();
    const app = createApp().post('/', once({ principal: userOf }), (ctx) => {
      ctx.set('Content-Type', type);
      ctx.send(body);
    });
    const post = () => app.request('/', { method: 'POST', headers: { 'Idempotency-Key': 'k' } });
    for (const replayed of [null, 'true']) {
      const { headers } = await post();
      expect([headers.get('Idempotency-Replayed'), headers.get('Content-Type')]).toEqual([
        replayed,
        sent,
      ]);
    }
  });

  it('does not keep that a handler has sent no response', async () => {
    const { once, add } = await open();
    const app = createApp({ onError: () => undefined }).post(
      '/',
      once({ principal: userOf }),
      async () => void (await add('order')),
    );
    const post = () => app.request('/', { method: 'POST', headers: { 'Idempotency-Key': 'k' } });
    expect((await post()).status).toBe(500);
    const second = await post();
    expect([second.ok, second.headers.get('Idempotency-Replayed')]).toEqual([false, null]);
  });

  it('keeps no cookies, of which one may be the secret of a session', async () => {
    const { once } = await open();
    const app = createApp().post('/sign-in', once({ principal: userOf }), (ctx) => {
      ctx.append('Set-Cookie', 'session=secret');
      ctx.set('Location', '/me');
      return {};
    });
    const post = () =>
      app.request('/sign-in', { method: 'POST', headers: { 'Idempotency-Key': 'cookie' } });
    const [first, second] = [await post(), await post()];
    expect(first.headers.getSetCookie()).toEqual(['session=secret']);
    expect(second.headers.getSetCookie()).toEqual([]);
    expect(second.headers.get('Location')).toBe('/me');
  });

  it('keeps the keys of principals apart, and requires a valid one if it should', async () => {
    const { once, add, items } = await open();
    const app = createApp({ onError: () => undefined }).post(
      '/',
      once({ principal: userOf, required: true }),
      async (ctx) => {
        await add(userOf(ctx));
        return userOf(ctx);
      },
    );
    const post = (headers: Record<string, string>) => app.request('/', { method: 'POST', headers });
    for (const user of ['ada', 'bob', 'ada']) {
      const response = await post({ 'Idempotency-Key': 'k', 'X-User': user });
      expect(await response.json()).toBe(user);
    }
    expect(await items()).toEqual(['ada', 'bob']);
    const headers: Record<string, string>[] = [
      {},
      { 'Idempotency-Key': 'a b' },
      { 'Idempotency-Key': '"' },
    ];
    const errors = headers.map(async (one) => errorOf(await post(one)));
    expect(await Promise.all(errors)).toEqual([
      [400, 'MISSING_IDEMPOTENCY_KEY'],
      [400, 'INVALID_IDEMPOTENCY_KEY'],
      [400, 'INVALID_IDEMPOTENCY_KEY'],
    ]);
  });
}
