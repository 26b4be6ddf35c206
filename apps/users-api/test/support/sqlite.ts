import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import {
  SqliteUserStore,
  type SqliteUserStoreOptions,
} from '../../src/users/store/sqlite/sqlite-user-store.js';

/**
 * Opens a store and closes it when the current test ends. The long lock timeout keeps writes from
 * failing on a loaded machine.
 */
export function openStore(path: string, options: SqliteUserStoreOptions = {}): SqliteUserStore {
  const store = new SqliteUserStore(path, { timeout: 60_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Opens a database file as another process would, and closes it when the current test ends. */
export function openRaw(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}
