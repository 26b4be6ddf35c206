import { randomUUID } from 'node:crypto';
import type { StoreError } from '@fairlead/store';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../../test/chaos/fleet/database.js';
import { execute, listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import type { User } from '../../user.js';
import type { PostgresSettings } from './connections.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const FIRST = { offset: 0, limit: 1 };

async function openStore(
  url: string,
  settings: Partial<PostgresSettings> = {},
): Promise<PostgresUserStore> {
  const all = { warn: () => {}, ...PATIENT, ...settings };
  const store = await PostgresUserStore.open(url, all);
  onTestFinished(() => store.close());
  return store;
}

async function openSession(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/**
 * Locks a table for writers or for everyone.
 *
 * @returns A function that releases the lock.
 */
async function lock(
  url: string,
  table: string,
  mode: 'EXCLUSIVE' | 'ACCESS EXCLUSIVE' = 'EXCLUSIVE',
): Promise<() => Promise<void>> {
  const session = await openSession(url);
  await session.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return async () => {
    await session.query('ROLLBACK');
  };
}

/** Creates a user as a process with the writer `0…01` does. */
const CREATE_IN_SESSION = `
  INSERT INTO users_totals VALUES ('00000000-0000-0000-0000-000000000001', 1)
    ON CONFLICT (writer) DO UPDATE SET total = users_totals.total + excluded.total;
  INSERT INTO users SELECT gen_random_uuid(), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    'Late', 'late@example.com', now(), now()`;

/** Returns the values of a store's metrics by name. */
function metricsOf(store: PostgresUserStore): Partial<Record<string, number>> {
  return Object.fromEntries(store.metrics.map(({ name, value }) => [name, value()]));
}

/** Waits until a write that a queue has taken is sent, which takes two turns of the event loop. */
async function untilSent(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe('PostgresUserStore', () => {
  it.each([0, 5, 50, 999])('returns times with %i ms in UTC in every time zone', async (ms) => {
    const url = await postgresUrl();
    const now = Date.UTC(2030, 0, 2, 23, 59, 58, ms);
    const { id, createdAt } = await (await openStore(url, { now: () => now })).create(ADA);
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      const store = await openStore(`${url}%20-cTimeZone%3D${zone}`);
      expect(await store.find(id)).toMatchObject({ createdAt, updatedAt: createdAt });
    }
  });

  it('preserves users, their order and their times when it is reopened', async () => {
    const url = await postgresUrl();
    const before = await openStore(url);
    const users = await Promise.all(times(5, (n) => before.create({ ...ADA, name: `${n}` })));
    await before.close();
    expect(await listAll(await openStore(url))).toEqual(users);
  });

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'allows two stores to race at %s without lost updates, double deletes or a wrong count',
    async (isolation) => {
      const base = await postgresUrl();
      const url = `${base}%20-cdefault_transaction_isolation%3D${isolation.replace(' ', '%5C%20')}`;
      const stores = [await openStore(url), await openStore(url)] as const;
      const [one, other] = stores;
      const shared = await one.create(ADA);
      const doomed = await Promise.all(times(20, () => one.create(ADA)));
      const [deletes] = await Promise.all([
        Promise.all(stores.map((store) => Promise.all(doomed.map(({ id }) => store.delete(id))))),
        Promise.all(times(20, (n) => one.update(shared.id, { name: `${n}` }))),
        Promise.all(times(20, (n) => other.update(shared.id, { email: `${n}` }))),
        Promise.all(stores.map((store) => Promise.all(times(20, () => store.create(ADA))))),
      ]);
      const won = doomed.map((_, index) => deletes.filter((results) => results[index]).length);
      expect(won).toEqual(doomed.map(() => 1));
      expect(await one.find(shared.id)).toMatchObject({
        name: expect.stringMatching(/^\d+$/),
        email: expect.stringMatching(/^\d+$/),
      });
      expect((await one.page(FIRST)).total).toBe(41);
      expect(await listAll(other)).toHaveLength(41);
    },
  );

  it('never moves updatedAt backwards when two clocks differ', async () => {
    const url = await postgresUrl();
    const fast = await openStore(url, { now: () => Date.UTC(2030, 0, 2) });
    const slow = await openStore(url, { now: () => Date.UTC(2030, 0, 1) });
    const { id } = await slow.create(ADA);
    const updated = await fast.update(id, {});
    expect((await slow.update(id, {}))?.updatedAt).toBe(updated?.updatedAt);
  });

  it('lists users in the order of creates that follow each other, across stores', async () => {
    const url = await postgresUrl();
    const one = await openStore(url);
    const stores = [one, await openStore(url), await openStore(url)];
    const created: User[] = [];
    for (const n of times(60, (index) => index)) {
      const batch = times(1 + (n % 5), () => (stores[n % 3] ?? one).create(ADA));
      created.push(...(await Promise.all(batch)));
    }
    for (const store of stores) expect(await listAll(store)).toEqual(created);
  });

  it('lists users who exist throughout once while other stores create and delete', async () => {
    const url = await postgresUrl();
    const [one, other, reader] = [await openStore(url), await openStore(url), await openStore(url)];
    const users = await Promise.all(times(250, () => one.create(ADA)));
    let isOver = false;
    const write = async (store: PostgresUserStore) => {
      while (!isOver) {
        const batch = await Promise.all(times(20, () => store.create(ADA)));
        await Promise.all(batch.map(({ id }) => store.delete(id)));
      }
    };
    const writing = [write(one), write(other)];
    for (const _ of times(10, () => undefined)) {
      const ids = (await listAll(reader)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.slice(0, 250)).toEqual(users.map(({ id }) => id));
    }
    isOver = true;
    await Promise.all(writing);
    expect(await reader.page(FIRST)).toMatchObject({ total: 250 });
  });

  it('shows a create that commits late in its place, and then in every list', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    const late = await openSession(url);
    const first = await store.create(ADA);
    await late.query(`BEGIN; ${CREATE_IN_SESSION}`);
    const last = await store.create(ADA);
    expect(await listAll(store)).toEqual([first, last]);
    expect((await store.page(FIRST)).total).toBe(2);
    await late.query('COMMIT');
    const names = (await listAll(store)).map(({ name }) => name);
    expect(names).toEqual(['Ada', 'Late', 'Ada']);
    expect((await store.page(FIRST)).total).toBe(3);
  });

  it('creates, deletes and opens while a create of another process does not end', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    const other = await openSession(url);
    await other.query(CREATE_IN_SESSION);
    await other.query(`BEGIN; ${CREATE_IN_SESSION}`);
    const { id } = await store.create(ADA);
    const second = await openStore(url);
    const { id: doomed } = await second.create(ADA);
    expect(await store.delete(doomed)).toBe(true);
    expect((await second.page(FIRST)).total).toBe(2);
    await other.query('COMMIT');
    expect(await second.delete(id)).toBe(true);
    expect((await store.page(FIRST)).total).toBe(2);
  });

  it('creates and deletes while a create and a delete of the other kind do not end', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    const ada = await store.create(ADA);
    const locker = await openSession(url);
    await locker.query(`BEGIN; SELECT FROM users WHERE id = '${ada.id}' FOR UPDATE`);
    const deleting = store.delete(ada.id);
    const grace = await store.create(ADA);
    expect(await listAll(store)).toEqual([ada, grace]);
    await locker.query('ROLLBACK');
    expect(await deleting).toBe(true);
    expect(await store.page(FIRST)).toEqual({ users: [grace], total: 1 });
  });

  it('keeps the total exact, in few rows, while stores open and others write', async () => {
    const url = await postgresUrl();
    const writers = [await openStore(url), await openStore(url)];
    let isOver = false;
    const writing = writers.map(async (store) => {
      while (!isOver) {
        const batch = await Promise.all(times(5, () => store.create(ADA)));
        await Promise.all(batch.slice(2).map(({ id }) => store.delete(id)));
      }
    });
    for (const _ of times(15, () => undefined)) await (await openStore(url)).close();
    isOver = true;
    await Promise.all(writing);
    const reader = await openStore(url);
    const { length } = await listAll(reader);
    expect(await reader.page(FIRST)).toMatchObject({ total: length });
    const session = await openSession(url);
    expect((await session.query('SELECT FROM users_totals')).rowCount).toBe(1);
  });

  it('creates the tables once when several stores open concurrently', async () => {
    const url = await postgresUrl();
    const stores = await Promise.all(times(6, () => openStore(url)));
    await Promise.all(stores.map((store) => store.create(ADA)));
    expect(await listAll(await openStore(url))).toHaveLength(6);
  });

  it('opens concurrently when the tables are only partly created', async () => {
    const url = await postgresUrl();
    await execute(url, 'CREATE TABLE users_schema (id INT PRIMARY KEY, version INT NOT NULL)');
    const stores = await Promise.all(times(6, () => openStore(url)));
    await Promise.all(stores.map((store) => store.create(ADA)));
    expect(await listAll(await openStore(url))).toHaveLength(6);
  });

  it.each([
    ['the row', 'SELECT * FROM users_schema FOR UPDATE'],
    ['the table', 'LOCK TABLE users_schema'],
  ])(
    'names the session that locks %s of the version, and gives up after lockTimeout',
    async (_, lock) => {
      const url = await postgresUrl();
      await (await openStore(url)).close();
      const locker = await openSession(`${url}&application_name=locker`);
      await locker.query(`BEGIN; ${lock}`);
      const holder = 'session \\d+ \\(locker, idle in transaction\\)';
      const warnings: StoreError[] = [];
      const warn = (error: StoreError) => warnings.push(error);
      await expect(openStore(url, { warn, lockTimeout: 200 })).rejects.toMatchObject({
        code: 'STORE_LOCKED',
        message: expect.stringMatching(`${holder} has locked the table users_schema for 0.2 s`),
      });
      const message = expect.stringMatching(`${holder} has locked the table users_schema. End`);
      expect(warnings).toMatchObject([{ code: 'STORE_LOCKED', message }]);
    },
  );

  it('gives up after lockTimeout when another session does not finish creating the tables', async () => {
    const url = await postgresUrl();
    const locker = await openSession(url);
    await locker.query('BEGIN; CREATE TABLE users_schema (id INT PRIMARY KEY, version INT)');
    await expect(openStore(url, { lockTimeout: 200 })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('another session has locked the table users_schema'),
    });
  });

  it('opens once the lock of another session is released', async () => {
    const url = await postgresUrl();
    await (await openStore(url)).close();
    const locker = await openSession(url);
    await locker.query('BEGIN; SELECT * FROM users_schema FOR UPDATE');
    const warn = () => void locker.query('ROLLBACK');
    const store = await openStore(url, { warn, lockTimeout: 10_000 });
    expect(await listAll(store)).toEqual([]);
  });

  it('rejects a database with a newer schema', async () => {
    const url = await postgresUrl();
    await (await openStore(url)).close();
    await execute(url, 'UPDATE users_schema SET version = 99');
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'STORE_INCOMPATIBLE',
      message: expect.stringContaining(
        'schema version 99, but this users-api supports versions up to',
      ),
    });
  });

  it.each(['users', 'users_schema'])(
    "rejects a database with another program's table %s without modifying it",
    async (table) => {
      const url = await postgresUrl();
      await execute(url, `CREATE TABLE ${table} (song TEXT)`);
      await expect(openStore(url)).rejects.toMatchObject({
        code: 'STORE_INCOMPATIBLE',
        message: expect.stringContaining('tables of another program'),
      });
      const session = await openSession(url);
      const { rows } = await session.query(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
      );
      expect(rows).toEqual([{ name: table }]);
    },
  );

  it('names the database without its password when it cannot be opened', async () => {
    const url = new URL(await postgresUrl());
    url.password = 's3cret';
    await expect(openStore(url.href)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringMatching(
        /^The store postgres:\/\/[\d.:]+\/postgres rejected the login(?!.*s3cret)/,
      ),
    });
  });

  it('fails only the outdated deletes of a batch, and one of several of a user', async () => {
    const store = await openStore(await postgresUrl());
    const [ada, grace] = [await store.create(ADA), await store.create(ADA)];
    const outdated = { ...ada, name: 'Outdated' };
    const results = await Promise.all([
      store.delete(ada.id, outdated),
      store.delete(ada.id, ada),
      store.delete(grace.id, outdated),
      store.delete('nobody'),
    ]);
    expect(results).toEqual([false, true, false, false]);
    expect(await store.page(FIRST)).toEqual({ users: [grace], total: 1 });
  });

  it('leaves more than half of the connections to other statements while pages far into the list wait', async () => {
    const url = await postgresUrl();
    const limits = {
      poolSize: 6,
      connectTimeout: 1_500,
      statementTimeout: 2_500,
      maxWaiting: 20,
    };
    const store = await openStore(url, limits);
    const unlock = await lock(url, 'users', 'ACCESS EXCLUSIVE');
    const far = times(12, () => store.page({ offset: 10_001, limit: 1 }));
    await expect(store.page({ offset: 10_001, limit: 1 })).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('already has 12 pending statements'),
    });
    await store.check();
    expect(metricsOf(store)).toMatchObject({ store_pool_connections: 3, store_pool_waiting: 10 });
    const outcomes = await Promise.allSettled(far);
    const reasons = outcomes.map(
      (outcome) => 'reason' in outcome && String(outcome.reason.message),
    );
    expect(reasons.filter((reason) => /did not respond in time/.test(String(reason)))).toHaveLength(
      2,
    );
    expect(reasons.filter((reason) => /no free connection/.test(String(reason)))).toHaveLength(10);
    await unlock();
    expect(await store.page({ offset: 10_001, limit: 1 })).toEqual({ users: [], total: 0 });
  });

  it('leaves connections to slow and other reads while writes wait', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, {
      ...{ poolSize: 4, connectTimeout: 60_000, statementTimeout: 60_000 },
    });
    const users = await Promise.all(times(5, () => store.create(ADA)));
    const unlock = await lock(url, 'users');
    const writes = users.map(({ id }) => store.update(id, { name: 'Grace' }));
    const far = { offset: 10_001, limit: 1 };
    await Promise.all([store.page(far), store.page(far), store.check()]);
    expect(metricsOf(store)).toMatchObject({ store_pool_connections: 4, store_pool_waiting: 3 });
    await unlock();
    expect(await Promise.all(writes)).toHaveLength(5);
  });

  it('returns pages anywhere in a long list', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    await execute(
      url,
      `INSERT INTO users
       SELECT md5(n::text)::uuid, n / 3, n::text, '', now(), now() FROM generate_series(1, 12000) AS n;
       INSERT INTO users_totals VALUES ('${randomUUID()}', 12000)`,
    );
    const list = await listAll(store);
    expect(list).toHaveLength(12_000);
    for (const offset of [0, 150, 195, 196, 200, 5_000, 10_000, 10_001, 11_998, 12_000]) {
      const expected = { users: list.slice(offset, offset + 5), total: 12_000 };
      expect(await store.page({ offset, limit: 5 })).toEqual(expected);
      const rest = await Array.fromAsync(store.list({ offset, limit: 250 }));
      expect(rest.flat()).toEqual(list.slice(offset, offset + 250));
    }
  });

  it('counts commits, conflicts, waiting writes and connections', async () => {
    const url = `${await postgresUrl()}&lock_timeout=200`;
    const store = await openStore(url);
    const before = metricsOf(store);
    const { id } = await store.create(ADA);
    await Promise.all([store.update(id, {}), store.find(id)]);
    expect(metricsOf(store)).toEqual({
      ...before,
      store_commits_total: (before.store_commits_total ?? 0) + 2,
      store_pool_connections: 2,
      store_pool_idle_connections: 2,
    });
    const unlock = await lock(url, 'users');
    const creating = [store.create(ADA)];
    await untilSent();
    creating.push(store.create(ADA), store.create(ADA));
    expect(metricsOf(store).store_waiting_writes).toBe(2);
    await Promise.allSettled(creating);
    await unlock();
    const { store_lock_waits_total, store_lock_wait_seconds_total } = metricsOf(store);
    expect(store_lock_waits_total).toBe(2);
    expect(store_lock_wait_seconds_total).toBeGreaterThan(0.3);
    expect(store.metrics.every(({ help }) => help !== '')).toBe(true);
  });

  it('rejects statements beyond maxWaiting while the database is slow', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, { poolSize: 1, maxWaiting: 3 });
    const { id } = await store.create(ADA);
    const unlock = await lock(url, 'users_totals');
    const waiting = store.create(ADA);
    await untilSent();
    const finds = [store.find(id), store.find(id)];
    await expect(store.find(id)).rejects.toMatchObject({ code: 'STORE_BUSY', isTransient: true });
    await unlock();
    await Promise.all([waiting, ...finds]);
    expect(await store.find(id)).toMatchObject(ADA);
    expect((await store.page(FIRST)).total).toBe(2);
  });

  it('lets 1,000 statements wait, 500 of them for pages far into the list', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, { poolSize: 2 });
    const unlock = await lock(url, 'users', 'ACCESS EXCLUSIVE');
    const readFar = () => store.page({ offset: 10_001, limit: 1 });
    const find = () => store.find(randomUUID());
    const busy = (pending: number) => ({
      code: 'STORE_BUSY',
      message: expect.stringContaining(`already has ${pending} pending statements`),
    });
    // One of the two connections reads such pages.
    const far = times(501, readFar);
    await expect(readFar()).rejects.toMatchObject(busy(501));
    const finds = times(499, find);
    await expect(find()).rejects.toMatchObject(busy(1_000));
    await unlock();
    expect(await Promise.all(finds)).toEqual(Array(499).fill(undefined));
    expect(await Promise.all(far)).toHaveLength(501);
  });

  it('sends a statement that conflicts again, at most 7 times', async () => {
    const url = await postgresUrl();
    const store = await openStore(url);
    await execute(
      url,
      `CREATE SEQUENCE attempts;
      CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('attempts'); RAISE 'conflict' USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER conflict BEFORE INSERT ON users EXECUTE FUNCTION conflict()`,
    );
    await expect(store.create(ADA)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    const session = await openSession(url);
    const { rows } = await session.query('SELECT last_value::int FROM attempts');
    expect(rows).toEqual([{ last_value: 8 }]);
  });

  it('rolls back a write that times out, and keeps working', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, { statementTimeout: 1_000 });
    const unlock = await lock(url, 'users_totals');
    await expect(store.create(ADA)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await unlock();
    const ada = await store.create(ADA);
    expect(await listAll(store)).toEqual([ada]);
  });

  it('recovers with a warning when every connection is terminated, idle or busy', async () => {
    const name = randomUUID();
    const url = `${await postgresUrl()}&application_name=${name}`;
    const warnings: StoreError[] = [];
    const store = await openStore(url, { warn: (error) => warnings.push(error) });
    const { id } = await store.create(ADA);
    const unlock = await lock(`${url}-locker`, 'users_totals');
    const writing = expect(store.create(ADA)).rejects.toMatchObject({
      code: 'STORE_INTERRUPTED',
      isTransient: true,
    });
    await Promise.all([store.find(id), store.find(id)]);
    const session = await openSession(`${url}-killer`);
    const countWaiting = async () => {
      const { rowCount } = await session.query(
        "SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
        [name],
      );
      return rowCount;
    };
    await expect.poll(countWaiting).toBe(1);
    await session.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
      [name],
    );
    await writing;
    await unlock();
    expect(await store.find(id)).toMatchObject(ADA);
    await expect
      .poll(() => warnings.map(({ message }) => message))
      .toContainEqual(
        expect.stringMatching('ended the connection because an administrator requested it'),
      );
    expect((await store.page(FIRST)).total).toBe(1);
  });

  it('fails only with transient errors while its connections are terminated repeatedly', async () => {
    const name = randomUUID();
    const url = `${await postgresUrl()}&application_name=${name}`;
    const store = await openStore(url);
    const { id } = await store.create(ADA);
    const session = await openSession(`${url}-killer`);
    const problems: StoreError[] = [];
    let created = 1;
    let found = 0;
    let running = true;
    const clients = times(8, async () => {
      while (running) {
        await store.create(ADA).then(
          () => (created += 1),
          (error) => problems.push(error),
        );
        await store.find(id).then(
          () => (found += 1),
          (error) => problems.push(error),
        );
      }
    });
    for (const _ of times(20, () => undefined)) {
      const goal = found + 20;
      await expect.poll(() => found, { interval: 1 }).toBeGreaterThan(goal);
      await session.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [name],
      );
    }
    running = false;
    await Promise.all(clients);
    expect(problems.every(({ isTransient }) => isTransient)).toBe(true);
    expect((await store.page(FIRST)).total).toBeGreaterThanOrEqual(created);
  });

  it('fails with transient errors while the database is down, loses nothing, and recovers', async () => {
    const database = await Database.start();
    onTestFinished(() => database.remove());
    const store = await openStore(database.url);
    const acknowledged: User[] = [];
    const problems: StoreError[] = [];
    let running = true;
    const clients = times(8, async () => {
      while (running) {
        await store.create(ADA).then(
          (user) => acknowledged.push(user),
          (error) => problems.push(error),
        );
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    const restart = await database.crash();
    await expect.poll(() => problems.length).toBeGreaterThan(20);
    await restart();
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
    running = false;
    await Promise.all(clients);
    expect(problems.every(({ isTransient }) => isTransient)).toBe(true);
    const listed = new Set((await listAll(store)).map(({ id }) => id));
    expect(acknowledged.filter(({ id }) => !listed.has(id))).toEqual([]);
    expect((await store.page(FIRST)).total).toBe(listed.size);
  });
});
