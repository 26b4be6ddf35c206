import { MemoryUserStore } from './memory.js';
import type { PostgresSettings } from './postgres/connections.js';
import { describeUrl } from './postgres/describe-url.js';
import { PostgresUserStore } from './postgres/postgres-user-store.js';
import { SqliteUserStore } from './sqlite/sqlite-user-store.js';
import type { StoreError } from './store-error.js';
import type { UserStore } from './user-store.js';

/** Which store to open, and where it is. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | ({ readonly kind: 'sqlite'; readonly path: string } & SqliteSettings)
  | ({ readonly kind: 'postgres'; readonly url: string } & Pick<PostgresSettings, 'poolSize'>);

/** How an SQLite store commits. */
export interface SqliteSettings {
  /** Writes in one transaction, at most; all that wait unless given. */
  readonly maxBatch?: number;
}

/** How a store speaks to whoever runs the service. */
export interface StoreOptions {
  /** Is told of what went wrong and was put right; `process.emitWarning` unless given. */
  readonly warn?: (error: StoreError) => void;
}

/**
 * Opens the store that the configuration names.
 *
 * @param config - Kind and place of the store.
 * @param options - Where warnings go.
 * @returns An open store; the caller closes it.
 * @throws {StoreError} When the store cannot be opened.
 */
export async function openStore(
  config: StoreConfig,
  options: StoreOptions = {},
): Promise<UserStore> {
  switch (config.kind) {
    case 'memory':
      return new MemoryUserStore();
    case 'sqlite':
      return new SqliteUserStore(config.path, { ...config, ...options });
    case 'postgres':
      return PostgresUserStore.open(config.url, { ...config, ...options });
  }
}

/**
 * Names a store for a log line.
 *
 * @param config - Kind and place of the store.
 * @returns The form that `DATABASE_URL` takes, with an absolute path and without a password.
 */
export function describeStore(config: StoreConfig): string {
  switch (config.kind) {
    case 'memory':
      return 'memory:';
    case 'sqlite':
      return `sqlite:${config.path}`;
    case 'postgres':
      return describeUrl(config.url);
  }
}
