import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp, errorHandler, HttpError, UnauthorizedError } from '@fairlead/core';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  createTransactions,
  idempotency,
  type TransactionAdapter,
  type Transactions,
} from '../../src/index.js';
import { codeOf, items, pool } from './database.js';

/** Runs statements by the adapter, as a repository would by its library. */
export function using<Client>(adapter: TransactionAdapter<Client>) {
  const db = createTransactions(adapter);
  const query = (text: string, ...values: unknown[]) => adapter.query(db.client, text, values);
  const add = async (item: string, customer = 1) =>
    query('INSERT INTO orders VALUES ($1, $2)', item, customer);
  return { db: db as Transactions<unknown>, query, add };
}

/** What the transactions of each library for PostgreSQL do. */
export function testLibrary(open: () => ReturnType<typeof using>): void {
  it('commit before the response, and roll back when it is an error', async () => {
    const { db, add } = open();
    const app = createApp({ onError: () => undefined })
      .use(errorHandler())
      .post('/orders/:item', db.transaction(), async (ctx) => {
        const { item = '' } = ctx.params;
        await add(item);
        expect(await items()).not.toContain(item);
        if (item === 'thrown') throw new HttpError(409, 'Taken.');
        if (item === 'returned') ctx.status = 422;
        return { item, isOpen: db.isOpen };
      });
    const post = (item: string) => app.request(`/orders/${item}`, { method: 'POST' });
    expect(await (await post('kept')).json()).toEqual({ item: 'kept', isOpen: true });
    expect((await post('thrown')).status).toBe(409);
    expect((await post('returned')).status).toBe(422);
    expect((await post('bad')).status).toBe(500);
    expect(await items()).toEqual(['kept']);
    expect(db.isOpen).toBe(false);
  });

  it('give the client the error of a commit that fails', async () => {
    const { db, add } = open();
    const app = createApp({ onError: () => undefined }).post(
      '/orders',
      db.transaction(),
      async () => {
        await add('lost', 2);
        return { stored: true };
      },
    );
    expect((await app.request('/orders', { method: 'POST' })).status).toBe(500);
    expect(await items()).toEqual([]);
  });

  it('fail when the database has rolled back because an error was caught', async () => {
    const { db, add } = open();
    const work = db.run(async () => {
      await add('good');
      await add('bad').catch(() => undefined);
    });
    await expect(work).rejects.toThrow();
    expect(await items()).toEqual([]);
  });

  it('nest behind savepoints, which roll back alone', async () => {
    const { db, add } = open();
    const called: string[] = [];
    await db.run(async () => {
      await add('outer');
      const inner = db.run(async () => {
        await add('inner');
        db.afterCommit(() => called.push('inner'));
        await add('bad');
      });
      const sibling = db.run(async () => {
        await db.run(() => add('sibling'));
        db.afterCommit(() => called.push('sibling'));
      });
      await expect(inner).rejects.toThrow();
      await sibling;
      expect(called).toEqual([]);
    });
    expect(await items()).toEqual(['outer', 'sibling']);
    await vi.waitFor(() => expect(called).toEqual(['sibling']));
  });

  it('run again after a serialization failure, if they may', async () => {
    const { db, query } = open();
    const both = Promise.withResolvers<void>();
    let [runs, reads] = [0, 0];
    const transfer = (from: string, to: string) =>
      db.run(
        async () => {
          runs += 1;
          const [{ value } = { value: 0 }] = await query(
            'SELECT value FROM counters WHERE name = $1',
            from,
          );
          reads += 1;
          if (reads === 2) both.resolve();
          await both.promise;
          await query('UPDATE counters SET value = $2 WHERE name = $1', to, Number(value) + 1);
        },
        { isolation: 'serializable', retries: 3 },
      );
    await Promise.all([transfer('a', 'b'), transfer('b', 'a')]);
    expect(runs).toBeGreaterThan(2);
    const { rows } = await pool.query('SELECT value FROM counters ORDER BY value');
    expect(rows.map(({ value }) => value)).toEqual([1, 2]);
  });

  it('pass arrays as parameters, and a parameter twice', async () => {
    const { query } = open();
    const text = "SELECT $2 = ANY($1::text[]) AS first, coalesce($2, '') AS second";
    expect(await query(text, ['a', 'b'], 'b')).toEqual([{ first: true, second: 'b' }]);
  });

  it('are read-only if they say so', async () => {
    const { db, add } = open();
    await expect(db.run(() => add('x'), { readOnly: true })).rejects.toThrow();
  });

  it('keep the response of the first request with a key, with its writes', async () => {
    const { db, add } = open();
    const Order = z.object({ item: z.string() });
    let runs = 0;
    const app = createApp({ onError: () => undefined }).post(
      '/orders',
      {
        body: Order,
        response: { 201: z.object({ id: z.number(), item: z.string() }) },
      },
      idempotency(db, { principal: ({ ip }) => ip, commits: [401] }),
      async (ctx) => {
        runs += 1;
        const { item } = ctx.body;
        await add(item);
        if (item === 'fails') throw new HttpError(503, 'Later.');
        if (item === 'denied') throw new UnauthorizedError();
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
    const reused = await post(key, 'b');
    expect([reused.status, codeOf(await reused.json())]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    // A failure is forgotten with its writes, and an error that commits only with its response.
    expect((await post('k1', 'fails')).status).toBe(503);
    expect((await post('k1', 'b')).status).toBe(201);
    expect((await post('k2', 'denied')).status).toBe(401);
    expect((await post('k2', 'denied')).status).toBe(401);
    expect((await post(undefined, 'c')).status).toBe(201);
    expect(await items()).toEqual(['a', 'b', 'c', 'denied', 'denied']);
    await pool.query("UPDATE idempotency_keys SET expires_at = now() - interval '1 second'");
    expect((await post(key, 'd')).status).toBe(201);
  });
}
