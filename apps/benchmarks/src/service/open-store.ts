import { GroupCommitStore } from './group-commit.js';
import { MemoryStore } from './memory.js';
import { PostgresStore } from './postgres.js';
import { SqliteStore } from './sqlite.js';
import type { UserStore } from './store.js';

/**
 * Opens the store of a `DATABASE_URL`.
 *
 * @param groupCommit - Whether the writes of concurrent requests share a transaction of SQLite.
 */
export async function openStore(url: string, groupCommit = false): Promise<UserStore> {
  if (url === 'memory:') return new MemoryStore();
  if (url.startsWith('postgres:')) return PostgresStore.open(url);
  const path = url.replace(/^sqlite:/, '');
  return groupCommit ? new GroupCommitStore(path) : new SqliteStore(path);
}
