import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import {
  SqliteUserStore,
  type SqliteUserStoreOptions,
} from '../../src/users/store/sqlite/sqlite-user-store.js';

/** Opens the store in a file until the running test ends; a loaded machine makes none of its writes fail. */
export function openStore(path: string, options: SqliteUserStoreOptions = {}): SqliteUserStore {
  const store = new SqliteUserStore(path, { timeout: 60_000, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Opens a file as another process does, until the running test ends. */
export function openRaw(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return database;
}
