import type { StoreError } from '@fairlead/store';
import type { StoreConfig } from '../../config.js';
import { MemoryUserStore } from './memory.js';
import { describeUrl } from './postgres/database-url.js';
import { PostgresUserStore } from './postgres/postgres-user-store.js';
import { SqliteUserStore } from './sqlite/sqlite-user-store.js';
import type { UserStore } from './user-store.js';

/**
 * Opens a store. The caller closes it.
 *
 * @param options - `warn` is called for each failure that the store recovers from. It defaults to
 *   `process.emitWarning`.
 * @throws {StoreError} When the store cannot be opened.
 */
export async function openStore(
  config: StoreConfig,
  options?: { readonly warn?: (error: StoreError) => void },
): Promise<UserStore> {
  switch (config.kind) {
    case 'memory':
      return new MemoryUserStore();
    case 'sqlite':
      return new SqliteUserStore(config.path, options);
    case 'postgres':
      return PostgresUserStore.open(config.url, { ...config, ...options });
  }
}

/** Returns a URL like `DATABASE_URL`, with an absolute path and without credentials. */
export function describeStore(config: StoreConfig): string {
  if (config.kind === 'postgres') return describeUrl(config.url);
  return config.kind === 'sqlite' ? `sqlite:${config.path}` : 'memory:';
}
