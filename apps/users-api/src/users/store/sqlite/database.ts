import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { StoreError } from '../store-error.js';
import { APPLICATION_ID, COLUMNS_OF_VERSION_1, MIGRATIONS } from './migrations.js';
import { isLocked, sqliteProblem } from './sqlite-problem.js';

/** Lock timeout of reads, in milliseconds. They only wait while a process recovers the log after a crash. */
const READ_TIMEOUT = 100;

/** Maximum number of attempts to enable the write-ahead log. */
const ATTEMPTS = 10;

/**
 * Opens a database, creating the file and its folders if necessary, and migrates it to the current
 * schema. Commits wait for the disk (`synchronous=FULL`). Readers do not wait for writers (write-ahead
 * log).
 *
 * @param path - Path of the database file.
 * @param busyTimeout - Maximum time to wait for another process's lock, in milliseconds.
 * @returns The open database.
 * @throws {StoreError} When the file cannot be opened, read or written, is locked, is not an SQLite
 *   database, or belongs to another program or a newer users-api.
 */
export function openDatabase(path: string, busyTimeout: number): DatabaseSync {
  try {
    createFolders(dirname(path));
    assertUsable(path);
    const database = new DatabaseSync(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${busyTimeout}`);
      // Enabling the write-ahead log modifies the file, so first check that the file is ours.
      transaction(database, 'DEFERRED', () => readVersion(database, path));
      enableWriteAheadLog(database);
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
 * Creates a folder and its missing parents durably. SQLite flushes its files but not the folders that
 * contain them. Does not use the `recursive` option of `mkdirSync`, which never returns for a folder that
 * cannot contain others, such as `/proc`.
 */
function createFolders(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolders(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder)) throw error;
  }
  // Windows cannot flush folders. NTFS journals their entries.
  if (process.platform !== 'win32') flushFolder(parent);
}

function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Rejects files that SQLite opens but cannot use: devices, which fail with a disk error later, and
 * read-only files, which get a read-only log.
 */
function assertUsable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) {
    throw new StoreError(
      'STORE_UNREACHABLE',
      `The store ${path} is not a regular file. Set DATABASE_URL to another file.`,
    );
  }
  accessSync(dirname(path), constants.W_OK);
  if (found !== undefined) accessSync(path, constants.R_OK | constants.W_OK);
}

/**
 * Runs a callback in a transaction.
 *
 * @param database - An open database without a current transaction.
 * @param mode - `IMMEDIATE` acquires the write lock first, `DEFERRED` when it is needed.
 * @param work - Synchronous callback. When it throws, the transaction is rolled back.
 * @returns The result of `work`.
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
      // SQLite has already rolled back, as it does when the disk is full.
    }
    throw error;
  }
}

/**
 * Enables the write-ahead log. `PRAGMA journal_mode` does not wait for locks of other processes, so this
 * function waits by beginning a transaction.
 */
function enableWriteAheadLog(database: DatabaseSync): void {
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

/** Returns the schema version, or 0 for an empty database. Throws for a foreign or newer schema. */
function readVersion(database: DatabaseSync, path: string): number {
  const version = Number(read(database, 'SELECT user_version AS value FROM pragma_user_version'));
  if (isOurs(database, version)) {
    if (version <= MIGRATIONS.length) return version;
    throw new StoreError(
      'STORE_INCOMPATIBLE',
      `The store ${path} has schema version ${version}, but this users-api supports versions up to ` +
        `${MIGRATIONS.length}. Run a newer users-api, or set DATABASE_URL to another file.`,
    );
  }
  const objects = read(database, 'SELECT count(*) AS value FROM sqlite_schema');
  if (version === 0 && objects === 0) return 0;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${path} is a database of another program. Set DATABASE_URL to another file.`,
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
