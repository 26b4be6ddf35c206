import type { DatabaseSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteValue } from '@fairlead/store';
import type { ResponseKeys, TransactionAdapter } from './adapter.js';

/** What runs the statements of a store. */
export interface StoreClient<Name extends string, Queries> {
  /**
   * Adds a write to the transaction, which makes all of its writes together when it commits. They return no rows. Without
   * a transaction, makes the write at once.
   */
  write(statement: Name, ...parameters: readonly SqliteValue[]): Promise<void>;
  /**
   * Reads, as `read()` of the store.
   *
   * @throws {Error} After a write of the transaction, which the database does not have yet.
   */
  read<T>(work: (queries: Queries) => T): T;
}

/** Options of {@link storeAdapter}. */
export interface StoreAdapterOptions<Queries> {
  /**
   * Returns the statement of {@link storeKeys} that `prepare()` of the store has prepared. Without it, the store has no
   * keys for `idempotency()`.
   */
  readonly keys?: (queries: Queries) => KeyQuery;
}

/** What {@link storeKeys} prepares. */
export type KeyQuery = ReturnType<DatabaseSync['prepare']>;

type Store<Name extends string, Queries> = Pick<
  SqliteDatabase<Name, Queries>,
  'read' | 'write' | 'writeAll'
>;

/** What a store needs for `idempotency()`. */
export const storeKeys: {
  /** One of the `migrations`. */
  readonly migration: string;
  /** Members of `statements`. */
  readonly statements: Readonly<Record<'addKey' | 'dropKey', string>>;
  /** Prepares a member of what `prepare()` returns. */
  prepare(database: DatabaseSync): KeyQuery;
} = Object.freeze({
  migration: `CREATE TABLE idempotency_keys (
  principal TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at)`,
  statements: Object.freeze({
    addKey: 'INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, ?, ?, ?)',
    dropKey: 'DELETE FROM idempotency_keys WHERE principal = ? AND key = ? AND expires_at < ?',
  }),
  prepare: (database: DatabaseSync) =>
    database.prepare(
      'SELECT fingerprint, status, headers, body FROM idempotency_keys WHERE principal = ? AND key = ? AND expires_at >= ?',
    ),
});

/**
 * Transactions of a store of `@fairlead/store`. A transaction collects writes, and commits them together: it cannot read
 * its own writes, and has no savepoints. Others may write between its reads and its commit, so let the statements check
 * what it has read.
 */
export function storeAdapter<Name extends string, Queries>(
  database: Store<Name, Queries>,
  { keys }: StoreAdapterOptions<Queries> = {},
): TransactionAdapter<StoreClient<Name, Queries>> {
  const adapter: TransactionAdapter<StoreClient<Name, Queries>> = {
    client: {
      write: async (...write) => void (await database.write(...write)),
      read: (work) => database.read(work),
    },
    lacks: ['savepoints', 'settings', 'sql'],
    database,
    async transact(work) {
      const writes: (readonly [Name, ...SqliteValue[]])[] = [];
      let hasEnded = false;
      const result = await work({
        async write(...write) {
          if (hasEnded)
            throw new Error(`The transaction has ended. Await the write '${write[0]}'.`);
          writes.push(write);
        },
        read(query) {
          if (writes.length > 0) throw new Error(UNREADABLE);
          return database.read(query);
        },
      }).finally(() => {
        hasEnded = true;
      });
      await database.writeAll(writes);
      return result;
    },
    // After its commit has begun, the writes may have been made.
    isUnreachable: (error) => Object(error).code === 'STORE_INTERRUPTED',
    query() {
      return Promise.reject(new TypeError('A store of @fairlead/store runs no other statements.'));
    },
  };
  return keys === undefined ? adapter : { ...adapter, keys: keysOf(database, keys) };
}

const UNREADABLE =
  'The transaction of a store cannot read after a write, which is made only at its commit. Read first, or let the statement itself read.';

function keysOf<Name extends string, Queries>(
  database: Store<Name, Queries>,
  queryOf: (queries: Queries) => KeyQuery,
): ResponseKeys<StoreClient<Name, Queries>> {
  return {
    find(principal, key) {
      const row = database.read((queries) => queryOf(queries).get(principal, key, Date.now()));
      if (row === undefined) return undefined;
      const { fingerprint, status, headers, body } = row;
      return {
        fingerprint: String(fingerprint),
        status: Number(status),
        headers: JSON.parse(String(headers)),
        body: Buffer.from(String(body), 'base64'),
      };
    },
    async add(client, principal, key, { fingerprint, status, headers, body }, lifetime) {
      const now = Date.now();
      // The application has merged them into its statements.
      const { write } = client as StoreClient<string, Queries>;
      await write('dropKey', principal, key, now);
      const text = Buffer.from(body).toString('base64');
      const expires = now + lifetime;
      await write(
        'addKey',
        ...[principal, key, fingerprint, expires, status, JSON.stringify(headers), text],
      );
    },
  };
}
