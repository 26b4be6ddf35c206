import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from '../store-error.js';
import { BUSY, MOVED, primaryCode } from './connection.js';

/** The `application_id` of users-api databases: "user" in ASCII. Version 1 has none. */
const APPLICATION_ID = 0x75736572;
const COLUMNS_OF_VERSION_1 =
  'position INTEGER, id TEXT, name TEXT, email TEXT, created_at TEXT, updated_at TEXT';

/** Number of positions in a block of `users_blocks`. Part of the schema. */
export const BLOCK = 1024;

/** Migrations from each schema version to the next, starting at 0. Never change a released migration. */
const MIGRATIONS: readonly string[] = [
  // SQLite assigns the largest position plus one, so positions follow the creation order.
  `CREATE TABLE users (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     name TEXT NOT NULL,
     email TEXT NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL
   ) STRICT`,
  `CREATE INDEX users_position ON users (position);
   CREATE TABLE users_total (total INTEGER NOT NULL) STRICT;
   INSERT INTO users_total SELECT count(*) FROM users;
   CREATE TRIGGER users_created AFTER INSERT ON users
   BEGIN UPDATE users_total SET total = total + 1; END;
   CREATE TRIGGER users_deleted AFTER DELETE ON users
   BEGIN UPDATE users_total SET total = total - 1; END;
   PRAGMA application_id = ${APPLICATION_ID}`,
  // The number of users in each block of positions allows skipping users without reading them.
  `CREATE TABLE users_blocks (block INTEGER PRIMARY KEY, total INTEGER NOT NULL) STRICT;
   INSERT INTO users_blocks SELECT position / ${BLOCK}, count(*) FROM users GROUP BY 1;
   DROP INDEX users_position;
   CREATE TRIGGER users_blocks_created AFTER INSERT ON users BEGIN
     INSERT INTO users_blocks VALUES (new.position / ${BLOCK}, 1)
       ON CONFLICT (block) DO UPDATE SET total = total + 1;
   END;
   CREATE TRIGGER users_blocks_deleted AFTER DELETE ON users BEGIN
     UPDATE users_blocks SET total = total - 1 WHERE block = old.position / ${BLOCK};
     DELETE FROM users_blocks WHERE block = old.position / ${BLOCK} AND total = 0;
   END`,
];

// One statement reads a consistent snapshot.
const READ_SCHEMA = `
  SELECT user_version AS version, application_id AS id,
    (SELECT count(*) FROM sqlite_schema) AS objects,
    (SELECT group_concat(name || ' ' || type, ', ') FROM pragma_table_info('users')) AS columns
  FROM pragma_user_version, pragma_application_id`;

/** Code, problem and fix. */
type Problem = readonly [StoreErrorCode, string, string];

const CHECK_ACCESS = 'Check the path, and the permissions of the file and its folder';

// By system call, or by result code of SQLite: https://www.sqlite.org/rescode.html
const PROBLEMS: Readonly<Record<string, Problem>> = {
  mkdir: [
    'STORE_UNREACHABLE',
    'cannot be created because its folder cannot be created',
    'Create the folder, or set DATABASE_URL to another file',
  ],
  access: ['STORE_READ_ONLY', 'is not writable', CHECK_ACCESS],
  3: ['STORE_UNREACHABLE', 'cannot be opened', CHECK_ACCESS],
  [BUSY]: ['STORE_LOCKED', 'is locked by another process', 'End that process, or try again later'],
  8: ['STORE_READ_ONLY', 'is not writable', CHECK_ACCESS],
  10: ['STORE_FAILED', 'cannot be read or written', 'Check the disk'],
  11: ['STORE_NOT_A_DATABASE', 'is damaged', 'Restore it from a backup'],
  13: ['STORE_FULL', 'cannot grow because the disk is full', 'Free up disk space'],
  14: ['STORE_UNREACHABLE', 'cannot be opened', CHECK_ACCESS],
  26: ['STORE_NOT_A_DATABASE', 'is not an SQLite database', 'Set DATABASE_URL to another file'],
  [MOVED]: [
    'STORE_GONE',
    'was deleted, moved or replaced while in use',
    'Restore the original files, or stop the service, put the new file in place and start it again',
  ],
};

const UNKNOWN: Problem = ['STORE_FAILED', 'failed', 'Check the file and the disk'];

/** Translates an error of node:sqlite or node:fs to a {@link StoreError} for operators. */
export function sqliteProblem(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  const { message, errcode, syscall } = error as NodeJS.ErrnoException & { errcode?: number };
  // Only errors of node:fs have a system call.
  const general = PROBLEMS[syscall === undefined ? primaryCode(error) : 14] ?? UNKNOWN;
  const [code, problem, fix] = PROBLEMS[syscall ?? Number(errcode)] ?? general;
  return new StoreError(code, `The store ${path} ${problem} (${message}). ${fix}.`, error);
}

/**
 * Opens a database, creating the file and its folders if necessary, and migrates it to the current schema.
 * Commits wait for the disk (`synchronous=FULL`). Readers do not wait for writers (write-ahead log).
 *
 * @param path - Path of the database file.
 * @param timeout - Maximum time to wait for another process's lock, in milliseconds.
 * @param use - Called with the open database, which is closed when `use` throws.
 * @returns The result of `use`.
 * @throws {StoreError} When the file cannot be opened, read or written, is locked, is not an SQLite
 *   database, or belongs to another program or a newer users-api.
 */
export function openDatabase<T>(
  path: string,
  timeout: number,
  use: (database: DatabaseSync) => T,
): T {
  let database: DatabaseSync | undefined;
  try {
    createFolder(dirname(path));
    assertUsable(path);
    database = new DatabaseSync(path);
    database.exec(`PRAGMA busy_timeout = ${timeout}`);
    // Enabling the write-ahead log modifies the file, so first check that the file is ours.
    readVersion(database, path);
    enableWriteAheadLog(database, 10);
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    migrate(database, readVersion(database, path));
    // Reads only wait while a process recovers the log after a crash.
    database.exec('COMMIT; PRAGMA busy_timeout = 100');
    return use(database);
  } catch (error) {
    database?.close();
    throw sqliteProblem(error, path);
  }
}

/**
 * Creates a folder and its missing parents durably. SQLite flushes its files but not the folders that
 * contain them. Does not use the `recursive` option of `mkdirSync`, which never returns for a folder that
 * cannot contain others, such as `/proc`.
 */
function createFolder(folder: string): void {
  if (fs.existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolder(parent);
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!fs.existsSync(folder)) throw error;
  }
  // Windows cannot flush folders. NTFS journals their entries.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(parent, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Rejects files that SQLite opens but cannot use: devices, which fail with a disk error later, and
 * read-only files, which get a read-only log.
 */
function assertUsable(path: string): void {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) {
    const message = `The store ${path} is not a regular file. Set DATABASE_URL to another file.`;
    throw new StoreError('STORE_UNREACHABLE', message);
  }
  fs.accessSync(dirname(path), fs.constants.W_OK);
  if (found) fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK);
}

/** Enables the write-ahead log. The pragma does not wait for locks, unlike a transaction. */
function enableWriteAheadLog(database: DatabaseSync, attempts: number): void {
  try {
    database.exec('PRAGMA journal_mode = WAL');
  } catch (error) {
    if (primaryCode(error) !== BUSY || attempts === 1) throw error;
    database.exec('BEGIN IMMEDIATE; COMMIT');
    enableWriteAheadLog(database, attempts - 1);
  }
}

function migrate(database: DatabaseSync, version: number): void {
  if (version === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

/** Returns the schema version, or 0 for an empty database. Throws for a foreign or newer schema. */
function readVersion(database: DatabaseSync, path: string): number {
  const { version, id, objects, columns } = database.prepare(READ_SCHEMA).get() ?? {};
  const isUnmarked =
    version === 0 ? objects === 0 : version === 1 && columns === COLUMNS_OF_VERSION_1;
  if (id !== APPLICATION_ID && !isUnmarked) {
    const message = `The store ${path} is a database of another program. Set DATABASE_URL to another file.`;
    throw new StoreError('STORE_INCOMPATIBLE', message);
  }
  if (Number(version) <= MIGRATIONS.length) return Number(version);
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${path} has schema version ${version}, but this users-api supports versions up to ` +
      `${MIGRATIONS.length}. Run a newer users-api, or set DATABASE_URL to another file.`,
  );
}
