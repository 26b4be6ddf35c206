import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MemoryUserStore } from '../../src/users/store/memory.js';
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
};

/** The names of the stores, for `describe.each`. */
export const STORE_NAMES = ['memory', 'sqlite'] as const;

/** Every user of a store, in one array. */
export async function listAll(store: UserStore): Promise<User[]> {
  return (await Array.fromAsync(store.list())).flat();
}

function closedAtEnd(store: UserStore): UserStore {
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}
