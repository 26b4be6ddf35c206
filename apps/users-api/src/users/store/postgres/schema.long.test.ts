import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execute, listAll, PATIENT, postgresUrl } from '../../../../test/support/stores.js';
import { PostgresUserStore } from './postgres-user-store.js';

const ADA = { name: 'Ada', email: 'ada@example.com' };

/** The schema of version 1, with 250 of 300 users left. */
const VERSION_1 = `
  CREATE TABLE users_schema (id INT PRIMARY KEY, version INT NOT NULL);
  INSERT INTO users_schema VALUES (1, 1);
  CREATE TABLE users_counter (
    id INT PRIMARY KEY, position BIGINT NOT NULL, total BIGINT NOT NULL
  );
  INSERT INTO users_counter VALUES (1, 300, 250);
  CREATE TABLE users (
    position BIGINT PRIMARY KEY,
    id UUID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL
  );
  INSERT INTO users
  SELECT n, gen_random_uuid(), n::text, '', now(), now() FROM generate_series(51, 300) AS n;
  CREATE TABLE orders (user_id UUID REFERENCES users (id));
  INSERT INTO orders SELECT id FROM users WHERE position = 100`;

const NAMES = Array.from({ length: 250 }, (_, index) => `${index + 51}`);

async function openStore(url: string): Promise<PostgresUserStore> {
  const store = await PostgresUserStore.open(url, PATIENT);
  onTestFinished(() => store.close());
  return store;
}

/** Describes the columns, constraints and indexes of the store. */
async function describeSchema(url: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(
    `SELECT table_name, column_name, data_type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name LIKE 'users%'
     UNION SELECT tablename, indexname, regexp_replace(indexdef, 'test_\\w+', '') FROM pg_indexes
     WHERE schemaname = current_schema() AND indexname <> 'users_id_key'
     UNION SELECT 'version', version::text, '' FROM users_schema WHERE id = 1
     ORDER BY 1, 2`,
  );
  await client.end();
  return rows;
}

describe('a database of schema version 1', () => {
  it('keeps its users, their order, their number and references to them', async () => {
    const url = await postgresUrl();
    await execute(url, VERSION_1);
    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(url)));
    const [store = stores[0]] = stores.slice(1);
    const created = await store?.create(ADA);
    for (const one of stores) {
      const users = await listAll(one);
      expect(users.map(({ name }) => name)).toEqual([...NAMES, 'Ada']);
      expect(await one.page({ offset: 249, limit: 2 })).toEqual({
        users: [users[249], created],
        total: 251,
      });
    }
  });

  it('gets the schema of an empty database', async () => {
    const [old, empty] = [await postgresUrl(), await postgresUrl()];
    await execute(old, VERSION_1);
    await openStore(old);
    await openStore(empty);
    expect(await describeSchema(old)).toEqual(expect.arrayContaining(await describeSchema(empty)));
  });

  it.each([
    [
      'before it had counted the users',
      'CREATE TABLE users_totals (writer UUID PRIMARY KEY, total BIGINT NOT NULL)',
    ],
    [
      'before it had removed the counter',
      `CREATE TABLE users_totals (writer UUID PRIMARY KEY, total BIGINT NOT NULL);
       INSERT INTO users_totals VALUES ('00000000-0000-0000-0000-000000000000', 250);
       ALTER TABLE users DROP CONSTRAINT users_pkey`,
    ],
    [
      'before it had changed the version',
      `CREATE TABLE users_totals (writer UUID PRIMARY KEY, total BIGINT NOT NULL);
       INSERT INTO users_totals VALUES ('00000000-0000-0000-0000-000000000000', 250);
       ALTER TABLE users DROP CONSTRAINT users_pkey, ADD CONSTRAINT users_pkey PRIMARY KEY (id);
       CREATE UNIQUE INDEX users_by_position ON users (position, id);
       DROP TABLE users_counter`,
    ],
  ])('is upgraded after an upgrade that ended %s', async (_, sql) => {
    const url = await postgresUrl();
    await execute(url, `${VERSION_1}; ${sql}`);
    const store = await openStore(url);
    expect((await listAll(store)).map(({ name }) => name)).toEqual(NAMES);
    expect((await store.page({ offset: 0, limit: 1 })).total).toBe(250);
  });

  it('names the session that locks its users', async () => {
    const url = await postgresUrl();
    await execute(url, VERSION_1);
    const locker = new Client(`${url}&application_name=locker`);
    await locker.connect();
    onTestFinished(() => locker.end());
    await locker.query('BEGIN; LOCK TABLE users IN SHARE MODE');
    const settings = { ...PATIENT, lockTimeout: 200, warn: () => {} };
    await expect(PostgresUserStore.open(url, settings)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringMatching(
        /session \d+ \(locker, .*\) has locked the table users for 0.2 s/,
      ),
    });
  });
});
