import type { ClientBase } from 'pg';
import { StoreError } from '../store-error.js';
import { MIGRATIONS } from './migrations.js';

/** Table with one row, the schema version. Migrations lock this row. */
const VERSION_TABLE = 'users_schema';

/** SQLSTATEs of conflicts between concurrent migrations. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710', '40001', '40P01']);

/** SQLSTATE after `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Encodings that can store every character. SQL_ASCII stores bytes unchanged. */
const ENCODINGS: ReadonlySet<unknown> = new Set(['UTF8', 'SQL_ASCII']);

const ATTEMPTS = 10;

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** Maximum time to wait for another session's lock, in milliseconds. */
  readonly lockTimeout: number;
  /** Called with a description of the blocking session after a tenth of `lockTimeout`. */
  readonly warn: (error: StoreError) => void;
}

/**
 * Migrates a database to the current schema, creating the tables if necessary. Concurrent migrations
 * wait for each other.
 *
 * @param client - A connection without a statement timeout.
 * @param name - The store, for messages.
 * @param options - How to wait for other sessions.
 * @throws {StoreError} `STORE_INCOMPATIBLE`, when the tables belong to another program or a newer
 *   users-api, or the encoding cannot store every character. The database is not modified.
 * @throws {StoreError} `STORE_LOCKED`, when another session holds a lock for too long.
 */
export async function migrate(
  client: ClientBase,
  name: string,
  options: MigrateOptions,
): Promise<void> {
  await assertEncoding(client, name);
  if (!(await hasVersionTable(client, name))) {
    await transact(client, name, options, () =>
      client.query(
        `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (id INT PRIMARY KEY, version INT NOT NULL)`,
      ),
    );
  }
  await transact(client, name, options, () => migrateLocked(client, name));
}

/** Runs a callback in a transaction. Retries it after a conflict with another migration. */
async function transact(
  client: ClientBase,
  name: string,
  { lockTimeout, warn }: MigrateOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  let timeout = Math.ceil(lockTimeout / 10);
  let hasWarned = false;
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${timeout}`);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const { code } = error as { code?: unknown };
      if (code === LOCK_NOT_AVAILABLE) {
        const holder = await findHolder(client);
        if (hasWarned) throw lockTimedOut(name, holder, lockTimeout, error);
        warn(waitingForLock(name, holder, lockTimeout));
        hasWarned = true;
        // 0 would disable the timeout.
        timeout = Math.max(1, lockTimeout - timeout);
      } else if (!CONFLICTS.has(code) || attempt === ATTEMPTS) {
        throw error;
      }
    }
  }
}

async function assertEncoding(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding;
  if (ENCODINGS.has(encoding)) return;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${name} has the encoding ${encoding}, which cannot store every character. Create a ` +
      'database with ENCODING UTF8, and set DATABASE_URL to it.',
  );
}

async function migrateLocked(client: ClientBase, name: string): Promise<void> {
  // Inserts the row, or locks the existing one.
  const { rows } = await client.query<{ version: number }>(
    `INSERT INTO ${VERSION_TABLE} (id, version) VALUES (1, 0)
     ON CONFLICT (id) DO UPDATE SET version = ${VERSION_TABLE}.version
     RETURNING version::int AS version`,
  );
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) throw tooNew(name, version);
  if (version === MIGRATIONS.length) return;
  for (const statement of MIGRATIONS.slice(version).flat()) await client.query(statement);
  await client.query(`UPDATE ${VERSION_TABLE} SET version = $1 WHERE id = 1`, [MIGRATIONS.length]);
}

/** Whether the tables exist. Throws when tables of another program have their names. */
async function hasVersionTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema = current_schema()
       AND table_name IN ('users', 'users_counter', '${VERSION_TABLE}')`,
  );
  if (rows.length === 0) return false;
  const columns = rows.filter(({ table }) => table === VERSION_TABLE).map(({ column }) => column);
  if (columns.toSorted().join() === 'id,version') return true;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${name} has tables of another program. Set DATABASE_URL to another database, or to ` +
      'another schema with ?options=-csearch_path%3DNAME.',
  );
}

/** Describes a session that holds a lock on the version table. */
async function findHolder(client: ClientBase): Promise<string> {
  const { rows } = await client
    .query<{ pid: number; about: string }>(
      `SELECT pid, concat_ws(', ', nullif(application_name, ''), state) AS about
       FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE granted AND mode <> 'AccessShareLock' AND pid <> pg_backend_pid()
         AND relation = to_regclass('${VERSION_TABLE}') AND datname = current_database()
       ORDER BY wait_event_type IS NOT DISTINCT FROM 'Lock', xact_start LIMIT 1`,
    )
    // Some PostgreSQL-compatible databases lack these views.
    .catch(() => ({ rows: [] }));
  const [session] = rows;
  return session === undefined ? 'another session' : `session ${session.pid} (${session.about})`;
}

function tooNew(name: string, version: number): StoreError {
  return new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${name} has schema version ${version}, but this users-api supports versions up to ` +
      `${MIGRATIONS.length}. Run a newer users-api, or set DATABASE_URL to another database.`,
  );
}

function waitingForLock(name: string, holder: string, lockTimeout: number): StoreError {
  return new StoreError(
    'STORE_LOCKED',
    `Waiting to open the store ${name}: ${holder} has locked the table ${VERSION_TABLE}. End that ` +
      `session to continue now. users-api gives up after ${lockTimeout / 1_000} s.`,
  );
}

function lockTimedOut(
  name: string,
  holder: string,
  lockTimeout: number,
  cause: unknown,
): StoreError {
  return new StoreError(
    'STORE_LOCKED',
    `Cannot open the store ${name}: ${holder} has locked the table ${VERSION_TABLE} for ` +
      `${lockTimeout / 1_000} s. End that session with pg_terminate_backend(), or try again later.`,
    cause,
  );
}
