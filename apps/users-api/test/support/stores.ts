import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MemoryUserStore } from '../../src/users/store/memory.js';
import { SqliteUserStore } from '../../src/users/store/sqlite.js';
import type { UserStore } from '../../src/users/store/user-store.js';
import type { Clock } from '../../src/users/user.js';
import { temporaryFolder } from './temporary-folder.js';

/** Every store by name: opened empty for the running test, closed when the test ends. */
export const STORES = {
  memory: (now: Clock = Date.now): UserStore => closedAtEnd(new MemoryUserStore(now)),
  sqlite: (now: Clock = Date.now): UserStore =>
    closedAtEnd(new SqliteUserStore(join(temporaryFolder(), 'users.db'), { now })),
};

/** The names of the stores, for `describe.each`. */
export const STORE_NAMES = ['memory', 'sqlite'] as const;

function closedAtEnd(store: UserStore): UserStore {
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}
