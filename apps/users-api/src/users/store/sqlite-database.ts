import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { sqliteProblem } from './sqlite-error.js';
import { StoreError } from './store-error.js';

const SCHEMA_VERSION = 1;

// The largest position plus one is the next one, so positions follow the order of creation.
const SCHEMA = `
  CREATE TABLE users (
    position INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
  ) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

// Many programs number their first schema 1, so the number alone does not tell whose file it is.
const COLUMNS =
  'position INTEGER, id TEXT, name TEXT, email TEXT, created_at TEXT, updated_at TEXT';

/**
 * Opens a database of users; makes it, and the folders above it, where there is none.
 *
 * A commit waits until the disk has it (`synchronous=FULL`), and readers do not wait for
 * writers (write-ahead log).
 *
 * @param path - The database file.
 * @param busyTimeout - How long to wait for another process's lock, in milliseconds.
 * @returns An open database with the current schema.
 * @throws {StoreError} When the file cannot be opened, read or written, is locked, is not an
 *   SQLite database, belongs to something else, or was written by a newer users-api.
 */
export function openDatabase(path: string, busyTimeout: number): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      // WAL is a mark in the file itself, which is not made before the file is known to be ours.
      transaction(database, 'DEFERRED', () => isNew(database, path));
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = FULL');
      transaction(database, 'IMMEDIATE', () => migrate(database, path));
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw sqliteProblem(error, path);
  }
}

/**
 * Runs reads and writes as one unit.
 *
 * @param database - An open database with no transaction under way.
 * @param mode - `IMMEDIATE` takes the write lock at once, `DEFERRED` when it is needed.
 * @param work - Synchronous; what it throws rolls everything back and is thrown on.
 * @returns What `work` returned.
 */
export function transaction<T>(
  database: DatabaseSync,
  mode: 'DEFERRED' | 'IMMEDIATE',
  work: () => T,
): T {
  database.exec(`BEGIN ${mode}`);
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
    throw error;
  }
}

function migrate(database: DatabaseSync, path: string): void {
  if (isNew(database, path)) database.exec(SCHEMA);
}

/** Whether a database is still empty. @throws {StoreError} When it is not ours, or is too new. */
function isNew(database: DatabaseSync, path: string): boolean {
  const version = read(database, 'SELECT user_version AS value FROM pragma_user_version');
  if (Number(version) > SCHEMA_VERSION) {
    throw new StoreError(
      'STORE_INCOMPATIBLE',
      `The store ${path} has schema version ${version}; this users-api knows versions up to ` +
        `${SCHEMA_VERSION}: run the newer users-api, or name another file in DATABASE_URL.`,
    );
  }
  if (version === SCHEMA_VERSION && readColumns(database) === COLUMNS) return false;
  const objects = read(database, 'SELECT count(*) AS value FROM sqlite_schema');
  if (version === 0 && objects === 0) return true;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${path} is a database of another program: name another file in DATABASE_URL.`,
  );
}

function readColumns(database: DatabaseSync): SQLOutputValue | undefined {
  return read(
    database,
    "SELECT group_concat(name || ' ' || type, ', ') AS value FROM pragma_table_info('users')",
  );
}

function read(database: DatabaseSync, query: string): SQLOutputValue | undefined {
  return database.prepare(query).get()?.value;
}
