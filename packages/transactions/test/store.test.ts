import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, HttpError } from '@fairlead/core';
import { multipart } from '@fairlead/multipart';
import { openSqlite, StoreError } from '@fairlead/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTransactions, idempotency } from '../src/index.js';
import { storeAdapter, storeKeys } from '../src/store.js';
import { errorOf, testIdempotency } from './support/idempotency.js';

async function createPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-transactions-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'orders.db');
}

async function open(path?: string) {
  const store = openSqlite(path ?? (await createPath()), {
    program: 'orders',
    setting: 'ORDERS_PATH',
    applicationId: 1,
    migrations: ['CREATE TABLE orders (item TEXT PRIMARY KEY) STRICT', storeKeys.migration],
    statements: { add: 'INSERT INTO orders VALUES (?)', ...storeKeys.statements },
    prepare: (database) => ({
      items: database.prepare('SELECT item FROM orders ORDER BY item'),
      key: storeKeys.prepare(database),
    }),
    timeout: 60_000,
  });
  onTestFinished(() => store.close());
  const db = createTransactions(storeAdapter(store, { keys: ({ key }) => key }));
  const items = () => store.read((queries) => queries.items.all()).map(({ item }) => item);
  return { store, db, items };
}

it('a transaction of a store makes its writes together, or none of them', async () => {
  const { db, items } = await open();
  const sent: string[] = [];
  const app = createApp({ onError: () => undefined }).post(
    '/orders/:item',
    db.transaction(),
    async ({ params: { item } }) => {
      expect(db.client.read((queries) => queries.items.all()).length).toBeLessThan(9);
      await db.client.write('add', `${item}-1`);
      await db.client.write('add', item === 'twice' ? `${item}-1` : `${item}-2`);
      db.afterCommit(() => sent.push(item));
      expect(items()).not.toContain(`${item}-1`);
      if (item === 'thrown') throw new HttpError(409, 'Taken.');
      return { item };
    },
  );
  const post = async (item: string) =>
    (await app.request(`/orders/${item}`, { method: 'POST' })).status;
  expect([await post('a'), await post('thrown'), await post('twice'), await post('b')]).toEqual([
    200, 409, 500, 200,
  ]);
  expect(items()).toEqual(['a-1', 'a-2', 'b-1', 'b-2']);
  expect(sent).toEqual(['a', 'b']);
  await db.client.write('add', 'outside');
  expect(items()).toContain('outside');
});

it.each([false, true])(
  'recognizes a repeated upload, in temporary files: %s',
  async (tempFiles) => {
    const { db, items } = await open();
    const app = createApp({ onError: () => undefined }).post(
      '/photos',
      multipart({ tempFiles }),
      idempotency(db, { principal: () => 'ada' }),
      async () => {
        await db.client.write('add', 'photo');
        return { id: '1' };
      },
    );
    const send = async (content: string) => {
      const body = new FormData();
      body.append('photo', new Blob([content], { type: 'image/png' }), 'a.png');
      const headers = { 'Idempotency-Key': 'k' };
      return errorOf(await app.request('/photos', { method: 'POST', headers, body }));
    };
    expect(await send('abc')).toEqual([200]);
    expect(await send('abc')).toEqual([200]);
    expect(await send('abd')).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(items()).toEqual(['photo']);
  },
);

it('a transaction of a store says what it cannot do', async () => {
  const { db, store, items } = await open();
  const reading = db.run(async () => {
    await db.client.write('add', 'a');
    return db.client.read((queries) => queries.items.all());
  });
  await expect(reading).rejects.toThrow('cannot read after a write');
  const nested = db.run(() => db.run(() => undefined));
  await expect(nested).rejects.toThrow(
    'The transaction of run() cannot be part of that of run(), because the database has no savepoints. Call the work without run().',
  );
  const kept = await db.run(() => db.client);
  await expect(kept.write('add', 'late')).rejects.toThrow("Await the write 'add'");
  expect(items()).toEqual([]);

  const app = createApp()
    .use(db.transaction())
    .post('/orders', db.transaction(), () => 1);
  expect(() => app.seal()).toThrow(
    'POST /orders has two transactions of a database without savepoints',
  );
  expect(() => db.transaction({ isolation: 'serializable', readOnly: true })).toThrow(
    /transaction\(\) cannot use isolation, which the database does not have\. Remove it\.[\s\S]*readOnly/,
  );
  const without = createTransactions(storeAdapter(store));
  expect(() => idempotency(without, { principal: () => 'ada' })).toThrow(
    'idempotency() needs PostgreSQL, or a store with keys.',
  );
  expect(() => idempotency(db, { principal: () => 'ada', table: 'keys' })).toThrow(
    'idempotency() cannot use the option table with a store.',
  );
  const { adapter } = db;
  await expect(adapter.query(db.client, 'SELECT 1', [])).rejects.toThrow('no other statements');
});

it('a commit of a store that was interrupted has an unknown outcome, unless the request has a key', async () => {
  const { store } = await open();
  const interrupted = {
    read: store.read.bind(store) as typeof store.read,
    write: store.write.bind(store) as typeof store.write,
    writeAll: async () => {
      throw new StoreError('STORE_INTERRUPTED', 'The writer thread died.');
    },
  };
  const db = createTransactions(storeAdapter(interrupted, { keys: ({ key }) => key }));
  const add = async () => {
    await db.client.write('add', 'a');
    return {};
  };
  const app = createApp({ onError: () => undefined })
    .post('/orders', db.transaction(), add)
    .post('/keyed', idempotency(db, { principal: () => 'ada' }), add);
  const response = await app.request('/orders', { method: 'POST' });
  expect(response.headers.has('Retry-After')).toBe(false);
  expect(await errorOf(response)).toEqual([500, 'TRANSACTION_OUTCOME_UNKNOWN']);
  const headers = { 'Idempotency-Key': 'k' };
  const keyed = await app.request('/keyed', { method: 'POST', headers });
  expect(keyed.headers.has('Retry-After')).toBe(true);
  expect(await errorOf(keyed)).toEqual([503, 'DATABASE_UNREACHABLE']);
});

it('a store keeps the response of the first request with a key, with its writes', async () => {
  const path = await createPath();
  // As two processes that share the file.
  const [one, two] = [await open(path), await open(path)];
  let runs = 0;
  const both = Promise.withResolvers<void>();
  const apps = [one, two].map(({ db }) =>
    createApp({ onError: () => undefined }).post(
      '/orders/:item',
      idempotency(db, { principal: ({ ip }) => ip, lifetime: 60_000 }),
      async (ctx) => {
        const { item } = ctx.params;
        runs += 1;
        await db.client.write('add', `${item}-${runs}`);
        if (item === 'fails') throw new HttpError(503, 'Later.');
        if (item === 'race') {
          if (runs > 2) both.resolve();
          await both.promise;
        }
        ctx.status = 201;
        ctx.set('Location', `/orders/${runs}`);
        return { id: runs };
      },
    ),
  );
  const post = (key: string, item: string, at = 0) =>
    apps[at]?.request(`/orders/${item}`, {
      method: 'POST',
      headers: { 'Idempotency-Key': key },
    }) as Promise<Response>;

  const responses = await Promise.all([post('k', 'a'), post('k', 'a'), post('k', 'a')]);
  responses.push(await post('k', 'a', 1));
  for (const response of responses) {
    expect([response.status, response.headers.get('Location')]).toEqual([201, '/orders/1']);
    expect(await response.json()).toEqual({ id: 1 });
  }
  const replayed = responses.map(({ headers }) => headers.get('Idempotency-Replayed'));
  expect(replayed).toEqual([null, 'true', 'true', 'true']);
  expect(await errorOf(await post('k', 'b'))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  expect(one.items()).toEqual(['a-1']);

  // Both handlers run, and one of the two commits.
  const race = await Promise.all([post('r', 'race'), post('r', 'race', 1)]);
  const statuses = race.map(({ status }) => status).sort();
  expect(statuses).toEqual([201, 409]);
  const winner = race.find(({ status }) => status === 201);
  const loser = race.find(({ status }) => status === 409);
  expect(await errorOf(loser as Response)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
  expect(await (await post('r', 'race')).text()).toBe(await winner?.text());
  expect(one.items()).toHaveLength(2);

  expect((await post('f', 'fails')).status).toBe(503);
  expect((await post('f', 'c')).status).toBe(201);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001);
  expect((await post('k', 'd')).status).toBe(201);
});

describe('a store', () => {
  testIdempotency(async () => {
    const { db, items } = await open();
    return {
      once: (options) => idempotency(db, options),
      add: (item) => db.client.write('add', item),
      items: () => items().map(String),
      expire: () => vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_001),
      notKept: 'IDEMPOTENCY_RESPONSE_NOT_KEPT',
    };
  });
});
