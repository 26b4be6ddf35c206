import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { MemoryUserStore } from '../../src/users/store/memory.js';
import { PostgresUserStore } from '../../src/users/store/postgres/postgres-user-store.js';
import { SqliteUserStore } from '../../src/users/store/sqlite/sqlite-user-store.js';
import type { UserStore } from '../../src/users/store/user-store.js';
import type { Clock, User } from '../../src/users/user.js';
import { CONFLICTING } from './conflicts.js';
import { type AtEnd, temporaryFolder } from './temporary-folder.js';

/** Every store, and PostgreSQL in conditions in which statements fail and run again. */
type StoreName =
  | 'memory'
  | 'sqlite'
  | 'postgres'
  | 'postgres, serializable'
  | 'postgres, conflicting';

declare module 'vitest' {
  interface ProvidedContext {
    /** The stores of this run: memory in the fast tests, and the others in the long ones. */
    stores: readonly StoreName[];
  }
}

/** The stores of this run, for `describe.each`. */
export const CONTRACT_NAMES = inject('stores');

/** The stores of this run in normal conditions. */
export const STORE_NAMES = CONTRACT_NAMES.filter((name) => !name.includes(','));

/** Opens an empty store and closes it when the current test ends. */
type OpenStore = (now?: Clock, atEnd?: AtEnd) => Promise<UserStore>;

/** Settings of PostgreSQL, with timeouts long enough for a loaded machine. */
export const PATIENT = { poolSize: 4, connectTimeout: 60_000, statementTimeout: 60_000 } as const;

/** Opens each store, by name. */
export const STORES: Readonly<Record<StoreName, OpenStore>> = {
  memory: async (now = Date.now, atEnd = onTestFinished) =>
    closedAtEnd(new MemoryUserStore(now), atEnd),
  sqlite: async (now = Date.now, atEnd = onTestFinished) => {
    const path = join(temporaryFolder(atEnd), 'users.db');
    return closedAtEnd(new SqliteUserStore(path, { now, timeout: 60_000 }), atEnd);
  },
  postgres: openPostgres(''),
  'postgres, serializable': openPostgres('%20-cdefault_transaction_isolation%3Dserializable'),
  'postgres, conflicting': openPostgres(`&application_name=${CONFLICTING}`),
};

function openPostgres(parameters: string): OpenStore {
  return async (now = Date.now, atEnd = onTestFinished) => {
    const url = (await postgresUrl(atEnd)) + parameters;
    return closedAtEnd(await PostgresUserStore.open(url, { now, ...PATIENT }), atEnd);
  };
}

/** Returns every user of a store in one array. */
export async function listAll(store: UserStore): Promise<User[]> {
  return (await Array.fromAsync(store.list())).flat();
}

/** Creates an empty PostgreSQL schema for the current test and returns its URL. */
export async function postgresUrl(atEnd: AtEnd = onTestFinished): Promise<string> {
  const server = inject('postgresUrl');
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(server, `CREATE SCHEMA ${schema}`);
  atEnd(() => execute(server, `DROP SCHEMA ${schema} CASCADE`));
  return `${server}?options=-csearch_path%3D${schema}`;
}

/** Runs SQL on a new connection. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function closedAtEnd(store: UserStore, atEnd: AtEnd): UserStore {
  atEnd(() => store.close());
  return store;
}
