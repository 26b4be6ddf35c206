import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  BUSY,
  CONSTRAINT,
  FULL,
  MOVED,
  OVERWRITTEN,
  primaryCode,
  ROLLED_BACK,
} from './connection.js';
import { StoreError, type StoreErrorCode } from './store-error.js';

const READ_VERSION = `
  SELECT user_version AS version, application_id AS id, (SELECT count(*) FROM sqlite_schema) AS objects
  FROM pragma_user_version, pragma_application_id`;

/** Where a database is, for messages. */
export interface DatabaseFile {
  readonly path: string;
  /** Name of the program, such as `users-api`. */
  readonly program: string;
  /** Name of the setting that holds the path, such as `DATABASE_URL`. */
  readonly setting: string;
}

/** What a database contains. */
export interface Schema {
  readonly applicationId: number;
  readonly migrations: readonly string[];
  readonly isOurs?: ((database: DatabaseSync, version: number) => boolean) | undefined;
}

/** Code, problem and fix. PART stands for what failed, and SETTING for the name of the setting. */
type Problem = readonly [StoreErrorCode, string, string];

const CHECK_ACCESS = 'Check the path, and the permissions of the file and its folder';

// By system call, or by result code of SQLite: https://www.sqlite.org/rescode.html
const PROBLEMS: Readonly<Record<string, Problem>> = {
  mkdir: [
    'STORE_UNREACHABLE',
    'cannot be created because its folder cannot be created',
    'Create the folder, or set SETTING to another file',
  ],
  access: ['STORE_READ_ONLY', 'is not writable', CHECK_ACCESS],
  1: ['STORE_FAILED', 'cannot run PART', 'Correct its SQL'],
  3: ['STORE_UNREACHABLE', 'cannot be opened', CHECK_ACCESS],
  [BUSY]: ['STORE_LOCKED', 'is locked by another process', 'End that process, or try again later'],
  8: ['STORE_READ_ONLY', 'is not writable', CHECK_ACCESS],
  10: ['STORE_FAILED', 'cannot be read or written', 'Check the disk'],
  11: [
    'STORE_NOT_A_DATABASE',
    'seems damaged',
    'Check the disk, then the file with PRAGMA integrity_check. Restore a backup only if that finds errors',
  ],
  [FULL]: ['STORE_FULL', 'cannot grow because the disk is full', 'Free up disk space'],
  14: ['STORE_UNREACHABLE', 'cannot be opened', CHECK_ACCESS],
  18: ['STORE_FAILED', 'cannot run PART', 'Pass shorter values'],
  [CONSTRAINT]: [
    'STORE_CONSTRAINT',
    'cannot run PART, which violates a constraint',
    'Use values that satisfy it, or catch STORE_CONSTRAINT',
  ],
  20: ['STORE_FAILED', 'cannot run PART', 'Use values of the types that the SQL expects'],
  26: ['STORE_NOT_A_DATABASE', 'is not an SQLite database', 'Set SETTING to another file'],
  [ROLLED_BACK]: [
    'STORE_FAILED',
    'rolled back all writes of a batch',
    'Remove ON CONFLICT ROLLBACK and deferred constraints from the SQL',
  ],
  [MOVED]: [
    'STORE_GONE',
    'was deleted, moved or replaced while in use',
    'Restore the original files, or stop the service, put the new file in place and start it again',
  ],
  [OVERWRITTEN]: [
    'STORE_GONE',
    'was overwritten while in use',
    'Stop the service, put the right file in place without a -wal and a -shm, and start the service again',
  ],
};

const UNKNOWN: Problem = ['STORE_FAILED', 'failed', 'Check the file and the disk'];

/** What node:sqlite throws for a value that JavaScript cannot represent, and the writer for bytes. */
const INVALID_ROW: Problem = [
  'STORE_FAILED',
  'cannot return the row of PART',
  'Return text, null, and numbers up to 2⁵³ − 1',
];

const MISSING = /^no such (table|column)|has no column/;
const CREATE = 'a migration that creates what is missing';
const NEVER = 'Never edit a migration that you have released';

/** An error of node:sqlite or node:fs. Only those of node:fs have a system call. */
type StorageError = NodeJS.ErrnoException & { readonly errcode?: number };

/**
 * Translates an error of node:sqlite or node:fs to a {@link StoreError} for operators.
 *
 * @param part - What ran, such as `migration 2`.
 */
export function sqliteProblem(
  error: unknown,
  { path, setting }: DatabaseFile,
  part = 'a query',
): StoreError {
  const { message, errcode, syscall } = Object(error) as StorageError;
  const general = PROBLEMS[syscall === undefined ? primaryCode(error) : 14] ?? UNKNOWN;
  const known = PROBLEMS[syscall ?? Number(errcode)] ?? general;
  const [code, problem, fix] = isStorageError(error) ? known : INVALID_ROW;
  const text = `${problem.replace('PART', () => part)} (${message})`;
  const isMigration = part.startsWith('migration ');
  const missing = `Correct its SQL, or ${isMigration ? `insert ${CREATE} before it` : `append ${CREATE}`}. ${NEVER}`;
  const solution = errcode === 1 && MISSING.test(message) ? missing : fix;
  return new StoreError(
    code,
    `The store ${path} ${text}. ${solution.replace('SETTING', () => setting)}.`,
    error,
  );
}

/** Calls `work`, and translates its errors of SQLite and of the file system. Rethrows others unchanged. */
export function translateErrors<T>(file: DatabaseFile, work: () => T, part?: string): T {
  try {
    return work();
  } catch (error) {
    throw isStorageError(error) ? sqliteProblem(error, file, part) : error;
  }
}

function isStorageError(error: unknown): boolean {
  const { errcode, syscall } = Object(error) as StorageError;
  return errcode !== undefined || syscall !== undefined;
}

/**
 * Opens a database, creating the file and its folders if necessary, and migrates it to the current schema.
 * Commits wait for the disk (`synchronous=FULL`). Readers do not wait for writers (write-ahead log).
 *
 * @param timeout - Maximum time to wait for another process's lock, in milliseconds.
 * @param use - Called with the open database, which is closed when `use` throws.
 * @returns The result of `use`.
 * @throws {StoreError} When the file cannot be opened, read or written, is locked, is not an SQLite
 *   database, or belongs to another program or a newer version of this one, or when a migration fails.
 */
export function openDatabase<T>(
  file: DatabaseFile,
  schema: Schema,
  timeout: number,
  use: (database: DatabaseSync) => T,
): T {
  return translateErrors(file, () => open(file, schema, timeout, use));
}

function open<T>(
  file: DatabaseFile,
  schema: Schema,
  timeout: number,
  use: (database: DatabaseSync) => T,
): T {
  let database: DatabaseSync | undefined;
  try {
    createFolder(dirname(file.path));
    assertUsable(file);
    database = new DatabaseSync(file.path);
    database.exec(`PRAGMA busy_timeout = ${timeout}; BEGIN`);
    // Enabling the write-ahead log modifies the file, so first check that the file is ours.
    readVersion(database, schema, file);
    database.exec('COMMIT');
    enableWriteAheadLog(database, 10);
    // Foreign keys would delete the rows that refer to a table which a migration replaces.
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE');
    migrate(database, schema, readVersion(database, schema, file), file);
    // Reads only wait while a process recovers the log after a crash.
    database.exec('COMMIT; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 100');
    const used = use(database);
    // Only the writer thread writes.
    database.exec('PRAGMA query_only = ON');
    return used;
  } catch (error) {
    database?.close();
    throw error;
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
function assertUsable({ path, setting }: DatabaseFile): void {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === false) {
    const message = `The store ${path} is not a regular file. Set ${setting} to another file.`;
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

function migrate(
  database: DatabaseSync,
  { applicationId, migrations }: Schema,
  version: number,
  file: DatabaseFile,
): void {
  if (version === migrations.length) return;
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    translateErrors(file, () => database.exec(sql), `migration ${index + 1}`);
  }
  const [orphan] = database.prepare('PRAGMA foreign_key_check').all();
  if (orphan !== undefined) {
    const message = `The migrations of the store ${file.path} break a foreign key: a row of ${orphan.table} refers to a row of ${orphan.parent} that does not exist. Correct the last migration.`;
    throw new StoreError('STORE_FAILED', message);
  }
  database.exec(`PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${migrations.length}`);
}

/** Returns the schema version, or 0 for an empty database. Throws for a foreign or newer schema. */
function readVersion(database: DatabaseSync, schema: Schema, file: DatabaseFile): number {
  const { applicationId, migrations, isOurs } = schema;
  const { path, program, setting } = file;
  const { id, objects, ...row } = database.prepare(READ_VERSION).get() ?? {};
  const version = Number(row.version);
  const isUnmarked = version === 0 ? objects === 0 : isOurs?.(database, version) === true;
  if (id !== applicationId && !isUnmarked) {
    const message = `The store ${path} is a database of another program. Set ${setting} to another file.`;
    throw new StoreError('STORE_INCOMPATIBLE', message);
  }
  if (version <= migrations.length) return version;
  throw new StoreError(
    'STORE_INCOMPATIBLE',
    `The store ${path} has schema version ${version}, but this ${program} supports versions up to ` +
      `${migrations.length}. Run a newer ${program}, or set ${setting} to another file.`,
  );
}
