import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { StoreError } from '../store-error.js';
import { makeFolders } from './make-folders.js';
import { APPLICATION_ID, COLUMNS_OF_VERSION_1, MIGRATIONS } from './migrations.js';
import { isLocked, sqliteProblem } from './sqlite-problem.js';

/**
 * How long a read may wait, in milliseconds. Readers wait for nobody but a process that repairs the
 * log after a crash.
 */
const READ_TIMEOUT = 100;

/** How often a file is marked that others are working on. */
const ATTEMPTS = 10;

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
    makeFolders(dirname(path));
    assertUsable(path);
    const database = new DatabaseSync(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      // WAL is a mark in the file itself, which is not made before the file is known to be ours.
      transaction(database, 'DEFERRED', () => readVersion(database, path));
      writeAhead(database);
      database.exec('PRAGMA synchronous = FULL');
      transaction(database, 'IMMEDIATE', () => migrate(database, path));
    } catch (error) {
      database.close();
      throw error;
    }
    database.exec(`PRAGMA busy_timeout = ${READ_TIMEOUT}`);
    return database;
  } catch (error) {
    throw sqliteProblem(error, path);
  }
}

/**
 * SQLite opens a device, and reports a disk error later. It opens a read-only file, too, and leaves a log
 * beside it that nobody can write.
 */
function assertUsable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    throw new StoreError(
      'STORE_UNREACHABLE',
      `The store ${path} is not a regular file: name another file in DATABASE_URL.`,
    );
  }
  accessSync(dirname(path), constants.W_OK);
  if (found !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
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

/**
 * Marks the file as one with a write-ahead log. SQLite does not wait for another process that is about to
 * do so, or that writes: it waits only where a transaction begins.
 */
function writeAhead(database: DatabaseSync): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || attempt === ATTEMPTS) throw error;
      transaction(database, 'IMMEDIATE', () => undefined);
    }
  }
}

function migrate(database: DatabaseSync, path: string): void {
  const version = readVersion(database, path);
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

/** The version of the schema; 0 when there is none yet. @throws {StoreError} When it is not ours, or is too new. */
function readVersion(database: DatabaseSync, path: string): number {
  const version = Number(read(database, 'SELECT user_version AS value FROM pragma_user_version'));
  if (isOurs(database, version)) {
    if (version <= MIGRATIONS.length) return version;
    throw new StoreError(
      'STORE_INCOMPATIBLE',
      `The store ${path} has schema version ${version}; this users-api knows versions up to ` +
        `${MIGRATIONS.length}: run the newer users-api, or name another file in DATABASE_URL.`,
    );
  }
  const objects = read(database, 'SELECT count(*) AS value FROM sqlite_schema');
  if (version === 0 && objects === 0) return 0;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${path} is a database of another program: name another file in DATABASE_URL.`,
  );
}

function isOurs(database: DatabaseSync, version: number): boolean {
  const id = read(database, 'SELECT application_id AS value FROM pragma_application_id');
  return id === APPLICATION_ID || (version === 1 && readColumns(database) === COLUMNS_OF_VERSION_1);
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
