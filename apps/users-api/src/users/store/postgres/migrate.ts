import type { ClientBase } from 'pg';
import { StoreError } from '../store-error.js';
import { MIGRATIONS } from './migrations.js';
import { isContention } from './postgres-problem.js';

/** Holds one row with the version of the schema, which whoever migrates locks. */
const VERSION_TABLE = 'users_schema';

/** What two processes that make one table at the same time may be told. */
const MADE_BY_ANOTHER: ReadonlySet<unknown> = new Set(['23505', '42P07', '42710', '40001']);

/** Encodings that take every character: SQL_ASCII keeps the bytes that it is sent. */
const ENCODINGS: ReadonlySet<unknown> = new Set(['UTF8', 'SQL_ASCII']);

const ATTEMPTS = 10;

/**
 * Brings a database to the current schema; makes the tables where there are none. Processes that do
 * this at the same time wait for each other.
 *
 * @param client - A connection without a limit on how long a statement may wait.
 * @param name - The store, for messages.
 * @throws {StoreError} `STORE_INCOMPATIBLE`, when the tables belong to something else, or were made
 *   by a newer users-api, or the encoding leaves out characters; the database is left as it is then.
 */
export async function migrate(client: ClientBase, name: string): Promise<void> {
  await assertEncoding(client, name);
  if (!(await hasVersionTable(client, name))) await makeVersionTable(client);
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await migrateLocked(client, name);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (!isContention(error) || attempt === ATTEMPTS) throw error;
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

async function makeVersionTable(client: ClientBase): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (id INT PRIMARY KEY, version INT NOT NULL)`,
      );
      return;
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (!MADE_BY_ANOTHER.has(code) || attempt === ATTEMPTS) throw error;
    }
  }
}

function tooNew(name: string, version: number): StoreError {
  return new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${name} has schema version ${version}; this users-api knows versions up to ` +
      `${MIGRATIONS.length}: run the newer users-api, or name another database in DATABASE_URL.`,
  );
}
