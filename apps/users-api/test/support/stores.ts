import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { MemoryUserStore } from '../../src/users/store/memory.js';
import { PostgresUserStore } from '../../src/users/store/postgres/postgres-user-store.js';
import { SqliteUserStore } from '../../src/users/store/sqlite/sqlite-user-store.js';
import type { UserStore } from '../../src/users/store/user-store.js';
import type { Clock, User } from '../../src/users/user.js';
import { temporaryFolder } from './temporary-folder.js';

/** Every store by name: opened empty for the running test, closed when the test ends. */
export const STORES = {
  memory: async (now: Clock = Date.now): Promise<UserStore> =>
    closedAtEnd(new MemoryUserStore(now)),
  sqlite: async (now: Clock = Date.now): Promise<UserStore> =>
    closedAtEnd(new SqliteUserStore(join(temporaryFolder(), 'users.db'), { now })),
  postgres: async (now: Clock = Date.now): Promise<UserStore> =>
    closedAtEnd(await PostgresUserStore.open(await postgresUrl(), { now, poolSize: 4 })),
};

/** The names of the stores, for `describe.each`. */
export const STORE_NAMES = ['memory', 'sqlite', 'postgres'] as const;

/** Every user of a store, in one array. */
export async function listAll(store: UserStore): Promise<User[]> {
  return (await Array.fromAsync(store.list())).flat();
}

/** Makes an empty schema in the PostgreSQL of this run; the URL of that schema for the running test. */
export async function postgresUrl(): Promise<string> {
  const server = inject('postgresUrl');
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(server, `CREATE SCHEMA ${schema}`);
  onTestFinished(() => execute(server, `DROP SCHEMA ${schema} CASCADE`));
  return `${server}?options=-csearch_path%3D${schema}`;
}

/** Runs SQL on a connection of its own. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function closedAtEnd(store: UserStore): UserStore {
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}
