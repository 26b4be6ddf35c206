import { StoreError, type StoreErrorCode } from '../store-error.js';

const LOCKED = 5;
const READ_ONLY = 8;
const MOVED = 1032;
const CANNOT_OPEN = 14;

/** Code, problem and fix. */
type Problem = readonly [StoreErrorCode, string, string];

const CHECK_PERMISSIONS = 'Check the permissions of the file and its folder';

// By result code of SQLite: https://www.sqlite.org/rescode.html
const PROBLEMS: Readonly<Record<number, Problem>> = {
  3: ['STORE_UNREACHABLE', 'cannot be opened', CHECK_PERMISSIONS],
  [LOCKED]: [
    'STORE_LOCKED',
    'is locked by another process',
    'End that process, or try again later',
  ],
  [READ_ONLY]: ['STORE_READ_ONLY', 'is not writable', CHECK_PERMISSIONS],
  10: ['STORE_FAILED', 'cannot be read or written', 'Check the disk'],
  11: ['STORE_NOT_A_DATABASE', 'is damaged', 'Restore it from a backup'],
  13: ['STORE_FULL', 'cannot grow because the disk is full', 'Free up disk space'],
  [CANNOT_OPEN]: [
    'STORE_UNREACHABLE',
    'cannot be opened',
    'Check the path, and the permissions of the file and its folder',
  ],
  [MOVED]: [
    'STORE_GONE',
    'was deleted, moved or replaced while in use',
    'Restore the original files, or stop the service, put the new file in place and start it again',
  ],
  26: ['STORE_NOT_A_DATABASE', 'is not an SQLite database', 'Set DATABASE_URL to another file'],
};

const NO_FOLDER: Problem = [
  'STORE_UNREACHABLE',
  'cannot be created because its folder cannot be created',
  'Create the folder, or set DATABASE_URL to another file',
];

const UNKNOWN: Problem = ['STORE_FAILED', 'failed', 'Check the file and the disk'];

/**
 * Translates an error of node:sqlite or node:fs to a message for operators.
 *
 * @param error - The error to translate.
 * @param path - Path of the database file, for the message.
 * @returns A {@link StoreError} with `error` as its cause, or `error` itself if it is a StoreError.
 */
export function sqliteProblem(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  if (property(error, 'code') === 'ERR_INVALID_STATE') {
    return new StoreError('STORE_CLOSED', `The store ${path} is closed. Open a new one.`, error);
  }
  const [code, problem, fix] = problemOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(code, `The store ${path} ${problem} (${reason}). ${fix}.`, error);
}

/** Whether a statement failed because another process holds a lock. */
export function isLocked(error: unknown): boolean {
  return primaryCode(error) === LOCKED;
}

function problemOf(error: unknown): Problem {
  if (property(error, 'syscall') === 'mkdir') return NO_FOLDER;
  return PROBLEMS[Number(property(error, 'errcode'))] ?? PROBLEMS[primaryCode(error)] ?? UNKNOWN;
}

function primaryCode(error: unknown): number {
  // Only errors of node:fs, which creates the folders and checks the files, have a `syscall`.
  const call = property(error, 'syscall');
  if (call !== undefined) return call === 'access' ? READ_ONLY : CANNOT_OPEN;
  // The low byte of an extended result code is the primary one.
  return Number(property(error, 'errcode')) & 0xff;
}

function property(error: unknown, name: 'code' | 'errcode' | 'syscall'): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}
