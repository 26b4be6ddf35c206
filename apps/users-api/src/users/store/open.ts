import { MemoryUserStore } from './memory.js';
import { SqliteUserStore } from './sqlite/sqlite-user-store.js';
import { StoreError } from './store-error.js';
import type { UserStore } from './user-store.js';

/** Which store to open, and where it is. */
export type StoreConfig =
  | { readonly kind: 'memory' }
  | ({ readonly kind: 'sqlite'; readonly path: string } & SqliteSettings)
  | ({ readonly kind: 'postgres'; readonly url: string } & PostgresSettings);

/** How an SQLite store commits. */
export interface SqliteSettings {
  /** Writes in one transaction, at most; all that wait unless given. */
  readonly maxBatch?: number;
}

/** How many connections a PostgreSQL store may hold, and how long it waits. */
export interface PostgresSettings {
  /** Connections of this process at most; 10 unless given. */
  readonly poolSize?: number;
}

/**
 * Opens the store that the configuration names.
 *
 * @param config - Kind and place of the store.
 * @returns An open store; the caller closes it.
 * @throws {StoreError} When the store cannot be opened.
 */
export async function openStore(config: StoreConfig): Promise<UserStore> {
  switch (config.kind) {
    case 'memory':
      return new MemoryUserStore();
    case 'sqlite':
      return new SqliteUserStore(config.path, config);
    case 'postgres':
      throw new StoreError('STORE_FAILED', 'PostgreSQL is not supported.');
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

/** Host, port and database of a URL; its user, password and parameters stay out. */
function describeUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}
