import { StoreError } from '@fairlead/store';
import type { ClientBase } from 'pg';

const VERSION = 2;

/** Row 1 has the version of the schema. Migrations lock it. Row 2 has the anchor. */
const VERSIONS =
  'CREATE TABLE IF NOT EXISTS users_schema (id INT PRIMARY KEY, version INT NOT NULL)';

/** Inserts the row, or locks the existing one. */
const LOCK_VERSION = `INSERT INTO users_schema (id, version) VALUES (1, 0)
  ON CONFLICT (id) DO UPDATE SET version = users_schema.version RETURNING version::int AS version`;

/** Row of `users_schema` whose version is a random number, so that databases differ. */
export const ANCHOR_ID = 2;

const ADD_ANCHOR = `INSERT INTO users_schema (id, version)
  VALUES (${ANCHOR_ID}, floor(random() * 2147483647)::int) ON CONFLICT (id) DO NOTHING`;

// Some databases commit each change of a schema separately, so any of these statements may run again.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS users (
     id UUID PRIMARY KEY,
     position BIGINT NOT NULL,
     name TEXT NOT NULL,
     email TEXT NOT NULL,
     created_at TIMESTAMPTZ(3) NOT NULL,
     updated_at TIMESTAMPTZ(3) NOT NULL
   )`,
  // YugabyteDB would hash the first column without ASC.
  'CREATE UNIQUE INDEX IF NOT EXISTS users_by_position ON users (position ASC, id ASC)',
  // The number of users is the sum of all rows. Each row belongs to one writer, so that none waits.
  'CREATE TABLE IF NOT EXISTS users_totals (writer UUID PRIMARY KEY, total BIGINT NOT NULL)',
];

/** Changes from version 1. Its primary key is the position, from 1. `users_counter` has the total. */
const FROM_VERSION_1 = [
  `ALTER TABLE users DROP CONSTRAINT IF EXISTS users_pkey,
     ADD CONSTRAINT users_pkey PRIMARY KEY (id)`,
  `INSERT INTO users_totals (writer, total)
   SELECT '00000000-0000-0000-0000-000000000000', total FROM users_counter
   ON CONFLICT (writer) DO NOTHING`,
  'DROP TABLE users_counter',
];

const COLUMNS = `SELECT table_name AS "table", column_name AS "column"
  FROM information_schema.columns WHERE table_schema = current_schema()
    AND table_name IN ('users', 'users_counter', 'users_totals', 'users_schema')
  ORDER BY column_name`;

/** Finds a session that holds a lock on a table of the store. */
const LOCKS = `SELECT concat('session ', pid, ' (', concat_ws(', ', nullif(application_name, ''), state),
    ') has locked the table ', relation::regclass) AS lock
  FROM pg_locks JOIN pg_stat_activity USING (pid)
  WHERE granted AND mode <> 'AccessShareLock' AND pid <> pg_backend_pid()
    AND relation IN (to_regclass('users_schema'), to_regclass('users'))
    AND datname = current_database()
  ORDER BY wait_event_type IS NOT DISTINCT FROM 'Lock', xact_start LIMIT 1`;

/** SQLSTATEs of conflicts between concurrent migrations. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710', '40001', '40P01']);

const ATTEMPTS = 10;

/** How long to wait for locks, in milliseconds, and whom to warn. */
export interface MigrationSettings {
  readonly lockTimeout: number;
  readonly warn: (error: StoreError) => void;
}

/**
 * Migrates a database to the current schema, creating the tables if necessary. Concurrent migrations
 * wait for each other, with a warning after a tenth of `lockTimeout`.
 *
 * @param client - A connection without a statement timeout.
 * @param name - The store, for messages.
 * @throws {StoreError} `STORE_INCOMPATIBLE`, when the tables belong to another program or a newer
 *   users-api, or the encoding cannot store every character. The database is not modified.
 * @throws {StoreError} `STORE_LOCKED`, when another session holds a lock for too long.
 */
export async function migrate(
  client: ClientBase,
  name: string,
  { lockTimeout, warn }: MigrationSettings,
): Promise<void> {
  let timeout = Math.ceil(lockTimeout / 10);
  let hasWarned = false;
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${timeout}`);
      await migrateLocked(client, name);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const { code } = error as { code?: unknown };
      if (code === '55P03') {
        // Some databases lack the views.
        const { rows } = await client.query<{ lock: string }>(LOCKS).catch(() => ({ rows: [] }));
        const lock = rows[0]?.lock ?? 'another session has locked the table users_schema';
        const seconds = `${lockTimeout / 1_000} s`;
        const text = hasWarned
          ? `Cannot open the store ${name}: ${lock} for ${seconds}. End that session with ` +
            'pg_terminate_backend(), or try again later.'
          : `Waiting to open the store ${name}: ${lock}. End that session to continue now. users-api ` +
            `gives up after ${seconds}.`;
        const problem = new StoreError('STORE_LOCKED', text, error);
        if (hasWarned) throw problem;
        warn(problem);
        hasWarned = true;
        // 0 would disable the timeout.
        timeout = Math.max(1, lockTimeout - timeout);
      } else if (!CONFLICTS.has(code) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function migrateLocked(client: ClientBase, name: string): Promise<void> {
  const assert = (isCompatible: boolean, problem: string) => {
    if (isCompatible) return;
    throw new StoreError('STORE_INCOMPATIBLE', `The store ${name} has ${problem}`);
  };
  const { rows: encodings } = await client.query('SHOW server_encoding');
  const encoding: string = encodings[0]?.server_encoding;
  assert(
    // SQL_ASCII stores bytes unchanged.
    encoding === 'UTF8' || encoding === 'SQL_ASCII',
    `the encoding ${encoding}, which cannot store every character. Create a database with ENCODING ` +
      'UTF8, and set DATABASE_URL to it.',
  );
  const { rows: columns } = await client.query<{ table: string; column: string }>(COLUMNS);
  const versioned = columns.filter(({ table }) => table === 'users_schema');
  assert(
    columns.length === 0 || versioned.map(({ column }) => column).join() === 'id,version',
    'tables of another program. Set DATABASE_URL to another database, or to another schema with ' +
      '?options=-csearch_path%3DNAME.',
  );
  if (columns.length === 0) await client.query(VERSIONS);
  const { rows } = await client.query<{ version: number }>(LOCK_VERSION);
  const version = rows[0]?.version ?? 0;
  assert(
    version <= VERSION,
    `schema version ${version}, but this users-api supports versions up to ${VERSION}. Run a newer ` +
      'users-api, or set DATABASE_URL to another database.',
  );
  await client.query(ADD_ANCHOR);
  if (version === VERSION) return;
  const isVersion1 = columns.some(({ table }) => table === 'users_counter');
  for (const sql of [...TABLES, ...(isVersion1 ? FROM_VERSION_1 : [])]) await client.query(sql);
  await client.query('UPDATE users_schema SET version = $1 WHERE id = 1', [VERSION]);
}
