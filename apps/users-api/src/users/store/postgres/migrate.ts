import type { ClientBase } from 'pg';
import { StoreError } from '../store-error.js';
import { MIGRATIONS } from './migrations.js';

/** Holds one row with the version of the schema, which whoever migrates locks. */
const VERSION_TABLE = 'users_schema';

/** What two processes may be told that make one table, or lock one row, at the same time. */
const CAUSED_BY_ANOTHER: ReadonlySet<unknown> = new Set([
  '23505',
  '42P07',
  '42710',
  '40001',
  '40P01',
]);

/** What PostgreSQL reports when `lock_timeout` is over. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Encodings that take every character: SQL_ASCII keeps the bytes that it is sent. */
const ENCODINGS: ReadonlySet<unknown> = new Set(['UTF8', 'SQL_ASCII']);

const ATTEMPTS = 10;

/** How {@link migrate} waits for other sessions. */
export interface MigrateOptions {
  /** How long to wait for a lock that another session holds, in milliseconds. */
  readonly lockTimeout: number;
  /** Called after a tenth of that time, with what the migration waits for. */
  readonly warn: (error: StoreError) => void;
}

/**
 * Brings a database to the current schema; makes the tables where there are none. Processes that do
 * this at the same time wait for each other.
 *
 * @param client - A connection without a limit on how long a statement may take.
 * @param name - The store, for messages.
 * @param options - How to wait for other sessions.
 * @throws {StoreError} `STORE_INCOMPATIBLE`, when the tables belong to something else, or were made
 *   by a newer users-api, or the encoding leaves out characters; the database is left as it is then.
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

/** Runs work in a transaction; runs it again when other processes that migrate undo it. */
async function transact(
  client: ClientBase,
  name: string,
  { lockTimeout, warn }: MigrateOptions,
  work: () => Promise<unknown>,
): Promise<void> {
  let patience = Math.ceil(lockTimeout / 10);
  let hasWarned = false;
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${patience}`);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const { code } = error as { code?: unknown };
      if (code === LOCK_NOT_AVAILABLE) {
        const holder = await findHolder(client);
        if (hasWarned) throw gaveUp(name, holder, lockTimeout, error);
        warn(waiting(name, holder, lockTimeout));
        hasWarned = true;
        // 0 would be no limit.
        patience = Math.max(1, lockTimeout - patience);
      } else if (!CAUSED_BY_ANOTHER.has(code) || attempt === ATTEMPTS) {
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
    `The store ${name} has the encoding ${encoding}, which leaves out characters that users may have: ` +
      'create a database with ENCODING UTF8, and name it in DATABASE_URL.',
  );
}

async function migrateLocked(client: ClientBase, name: string): Promise<void> {
  // Makes the row where there is none, and locks it where there is one.
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

/** Whether the tables have been made. @throws {StoreError} When there are tables that are not ours. */
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
    `The store ${name} has tables of another program: name another database in DATABASE_URL, or a ` +
      'schema of its own (?options=-csearch_path%3DNAME).',
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
    // Some engines that speak the protocol have no such views.
    .catch(() => ({ rows: [] }));
  const [session] = rows;
  return session === undefined ? 'another session' : `session ${session.pid} (${session.about})`;
}

function tooNew(name: string, version: number): StoreError {
  return new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${name} has schema version ${version}; this users-api knows versions up to ` +
      `${MIGRATIONS.length}: run the newer users-api, or name another database in DATABASE_URL.`,
  );
}

function waiting(name: string, holder: string, lockTimeout: number): StoreError {
  return new StoreError(
    'STORE_LOCKED',
    `The store ${name} cannot be opened yet: ${holder} locks the table ${VERSION_TABLE}. End that ` +
      `session to open the store now. users-api gives up after ${lockTimeout / 1_000} s.`,
  );
}

function gaveUp(name: string, holder: string, lockTimeout: number, cause: unknown): StoreError {
  return new StoreError(
    'STORE_LOCKED',
    `Cannot open the store ${name}: ${holder} has locked the table ${VERSION_TABLE} for ` +
      `${lockTimeout / 1_000} s. End that session with pg_terminate_backend(), or try again later.`,
    cause,
  );
}
