import { createApp, errorHandler, HttpError, UnauthorizedError } from '@fairlead/core';
import { expect, it } from 'vitest';
import {
  createTransactions,
  idempotency,
  type TransactionAdapter,
  type Transactions,
} from '../../src/index.js';
import { items, pool } from './database.js';
import { testIdempotency } from './idempotency.js';

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
    await expect.poll(() => called).toEqual(['sibling']);
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

  it('forget the key of an error with its writes, or if the error commits', async () => {
    const { db, add } = open();
    const app = createApp({ onError: () => undefined }).post(
      '/orders/:item',
      idempotency(db, { principal: ({ ip }) => ip, commits: [401] }),
      async ({ params: { item } }) => {
        await add(item);
        if (item === 'fails') throw new HttpError(503, 'Later.');
        if (item === 'denied') throw new UnauthorizedError();
        return {};
      },
    );
    const post = async (key: string, item: string) => {
      const headers = { 'Idempotency-Key': key };
      return (await app.request(`/orders/${item}`, { method: 'POST', headers })).status;
    };
    expect([await post('k1', 'fails'), await post('k1', 'b')]).toEqual([503, 200]);
    expect([await post('k2', 'denied'), await post('k2', 'denied')]).toEqual([401, 401]);
    expect(await items()).toEqual(['b', 'denied', 'denied']);
  });

  testIdempotency(() => {
    const { db, add } = open();
    return {
      once: (options) => idempotency(db, options),
      add,
      items,
      expire: () =>
        pool.query("UPDATE idempotency_keys SET expires_at = now() - interval '1 second'"),
      notKept: 'IDEMPOTENCY_RESPONSE_NOT_KEPT',
    };
  });
}
