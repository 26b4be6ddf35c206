import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../../test/chaos/fleet/database.js';
import { execute, listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import type { User } from '../../user.js';
import type { StoreError } from '../store-error.js';
import { PostgresUserStore, type PostgresUserStoreOptions } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };
const FIRST = { offset: 0, limit: 1 };

async function openStore(
  url: string,
  options: PostgresUserStoreOptions = {},
): Promise<PostgresUserStore> {
  const all = { poolSize: 4, warn: () => {}, ...PATIENT, ...options };
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

/** Acquires a lock that every create and delete needs, and returns a function that releases it. */
async function lockCounter(url: string): Promise<() => Promise<void>> {
  const session = await openSession(url);
  await session.query('BEGIN');
  await session.query('SELECT * FROM users_counter FOR UPDATE');
  return async () => {
    await session.query('ROLLBACK');
  };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

describe('PostgresUserStore', () => {
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

  it('makes users visible in the order of the list', async () => {
    const url = await postgresUrl();
    const [one, other, reader] = await Promise.all([
      openStore(url),
      openStore(url),
      openStore(url),
    ]);
    const creating = Promise.all(
      [one, other].flatMap((store) => times(300, () => store.create(ADA))),
    );
    const lists: User[][] = [];
    let done = false;
    void creating.then(() => {
      done = true;
    });
    while (!done) lists.push(await listAll(reader));
    await creating;
    const final = await listAll(reader);
    expect(final).toHaveLength(600);
    for (const list of lists) expect(list).toEqual(final.slice(0, list.length));
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

  it('rejects statements beyond maxWaiting while the database is slow', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, { poolSize: 1, maxWaiting: 3 });
    const { id } = await store.create(ADA);
    const unlock = await lockCounter(url);
    const waiting = store.create(ADA);
    const finds = [store.find(id), store.find(id)];
    // The create is sent in the next turn of the event loop.
    await new Promise(setImmediate);
    await expect(store.find(id)).rejects.toMatchObject({ code: 'STORE_BUSY', isTransient: true });
    await unlock();
    await Promise.all([waiting, ...finds]);
    expect(await store.find(id)).toMatchObject(ADA);
    expect((await store.page(FIRST)).total).toBe(2);
  });

  it('rolls back a write that times out, and keeps working', async () => {
    const url = await postgresUrl();
    const store = await openStore(url, { statementTimeout: 1_000 });
    const unlock = await lockCounter(url);
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
    const unlock = await lockCounter(`${url}-locker`);
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
    await expect.poll(() => warnings.length).toBeGreaterThan(0);
    // A read fails only if the second connection has ended as well.
    await expect.poll(() => store.find(id)).toMatchObject(ADA);
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
