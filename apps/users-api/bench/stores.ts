import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StoreConfig } from '../src/users/store/open.js';
import type { Database } from '../test/chaos/fleet/database.js';

/** Allowed values of `--stores`. */
export const STORE_NAMES = ['memory', 'sqlite', 'sqlite-single', 'postgres'] as const;

type StoreName = (typeof STORE_NAMES)[number];

/** An empty store to measure. */
export interface BenchStore {
  readonly title: string;
  /** `DATABASE_URL` of its server. */
  readonly url: string;
  /** Maximum number of writes per transaction. Unlimited by default. */
  readonly maxBatch?: number;
  /** How to fill the store from the benchmark. Its list is only measured if set. */
  readonly config?: StoreConfig;
}

/** Whether a name is an allowed value of `--stores`. */
export function isStoreName(name: string): name is StoreName {
  return STORE_NAMES.some((known) => known === name);
}

/**
 * Creates empty stores.
 *
 * @param names - The stores to create.
 * @param folder - Folder for their files, which is created. Its name is also used for the database.
 * @param database - The PostgreSQL server, if needed.
 */
export async function createStores(
  names: readonly StoreName[],
  folder: string,
  database: Database | undefined,
): Promise<readonly BenchStore[]> {
  mkdirSync(folder);
  const name = basename(folder);
  await database?.createDatabase(name);
  const [path, url] = [join(folder, 'users.db'), database?.urlOf(name) ?? ''];
  const stores: Record<StoreName, BenchStore> = {
    memory: { title: 'memory', url: 'memory:' },
    sqlite: { title: 'SQLite', url: `sqlite:${path}`, config: { kind: 'sqlite', path } },
    'sqlite-single': {
      title: 'SQLite, one write per commit',
      url: `sqlite:${join(folder, 'single.db')}`,
      maxBatch: 1,
    },
    postgres: { title: 'PostgreSQL', url, config: { kind: 'postgres', url } },
  };
  return names.map((name) => stores[name]);
}
