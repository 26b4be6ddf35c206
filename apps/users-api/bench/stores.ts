import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StoreConfig } from '../src/users/store/open.js';
import type { Database } from '../test/chaos/fleet/database.js';

/** What `--stores` takes. */
export const STORE_NAMES = ['memory', 'sqlite', 'sqlite-single', 'postgres'] as const;

type StoreName = (typeof STORE_NAMES)[number];

/** An empty store, and how a server is told of it. */
export interface Place {
  readonly title: string;
  readonly url: string;
  /** Writes in one transaction; as many as wait when absent. */
  readonly maxBatch?: number;
  /** How to open it, where its list is to be measured as well. */
  readonly config?: StoreConfig;
}

/** Whether `--stores` takes a name. */
export function isStoreName(name: string): name is StoreName {
  return STORE_NAMES.some((known) => known === name);
}

/**
 * Makes room for empty stores.
 *
 * @param names - Which.
 * @param folder - For their files; made. Its name becomes that of a database.
 * @param database - For PostgreSQL.
 */
export async function openPlaces(
  names: readonly StoreName[],
  folder: string,
  database: Database | undefined,
): Promise<readonly Place[]> {
  mkdirSync(folder);
  const name = basename(folder);
  await database?.createDatabase(name);
  const [path, url] = [join(folder, 'users.db'), database?.urlOf(name) ?? ''];
  const places: Record<StoreName, Place> = {
    memory: { title: 'memory', url: 'memory:' },
    sqlite: { title: 'SQLite', url: `sqlite:${path}`, config: { kind: 'sqlite', path } },
    'sqlite-single': {
      title: 'SQLite, one commit a write',
      url: `sqlite:${join(folder, 'single.db')}`,
      maxBatch: 1,
    },
    postgres: { title: 'PostgreSQL', url, config: { kind: 'postgres', url } },
  };
  return names.map((name) => places[name]);
}
