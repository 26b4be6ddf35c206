import type { StoreError } from '@fairlead/store';
import { MemoryUserStore } from './memory.js';
import type { PostgresSettings } from './postgres/connections.js';
import { describeUrl } from './postgres/database-url.js';
import { PostgresUserStore } from './postgres/postgres-user-store.js';
import { SqliteUserStore } from './sqlite/sqlite-user-store.js';
import type { UserStore } from './user-store.js';

/** The store to open, and where it is. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | ({ readonly kind: 'postgres'; readonly url: string } & Pick<
      PostgresSettings,
      'poolSize' | 'connectTimeout' | 'statementTimeout'
    >);

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
