import { MemoryUserStore } from './memory.js';
import { SqliteUserStore } from './sqlite.js';
import type { UserStore } from './user-store.js';

/** Which store to open, and where it is. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string };

/**
 * Opens the store that the configuration names.
 *
 * @param config - Kind and place of the store.
 * @returns An open store; the caller closes it.
 * @throws {StoreError} When the store cannot be opened.
 */
export function openStore(config: StoreConfig): UserStore {
  switch (config.kind) {
    case 'memory':
      return new MemoryUserStore();
    case 'sqlite':
      return new SqliteUserStore(config.path);
  }
}

/**
 * Names a store for a log line.
 *
 * @param config - Kind and place of the store.
 * @returns The form that `DATABASE_URL` takes, with an absolute path.
 */
export function describeStore(config: StoreConfig): string {
  return config.kind === 'memory' ? 'memory:' : `sqlite:${config.path}`;
}
