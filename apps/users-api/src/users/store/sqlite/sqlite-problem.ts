import { StoreError, type StoreErrorCode } from '../store-error.js';

const LOCKED = 5;
const READ_ONLY = 8;
const MOVED = 1032;
const CANNOT_OPEN = 14;

// SQLite's result codes, https://www.sqlite.org/rescode.html
const PROBLEMS: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  3: ['STORE_UNREACHABLE', 'may not be opened: check the permissions of the file and its folder'],
  [LOCKED]: ['STORE_LOCKED', 'is locked by another process: end that process, or try again later'],
  [READ_ONLY]: [
    'STORE_READ_ONLY',
    'may not be written: check the permissions of the file and its folder',
  ],
  10: ['STORE_FAILED', 'could not be read or written: check the disk'],
  11: ['STORE_NOT_A_DATABASE', 'is damaged: restore it from a copy'],
  13: ['STORE_FULL', 'cannot grow, the disk is full: make room'],
  [CANNOT_OPEN]: [
    'STORE_UNREACHABLE',
    'cannot be opened: check that it is a file that this user may write',
  ],
  [MOVED]: [
    'STORE_GONE',
    'was deleted, moved or replaced while in use: put the same files back, or stop the service, put ' +
      'the file to use in place, and start it again',
  ],
  26: ['STORE_NOT_A_DATABASE', 'is not an SQLite database: name another file in DATABASE_URL'],
};

const NO_FOLDER: readonly [StoreErrorCode, string] = [
  'STORE_UNREACHABLE',
  'cannot be created, because its folder cannot: create that folder, or name another file in DATABASE_URL',
];

/**
 * Says what an error of node:sqlite or node:fs means to whoever runs the service.
 *
 * @param error - What was thrown.
 * @param path - The database file, for the message.
 * @returns A {@link StoreError} with `error` as its cause; `error` itself when it is one already.
 */
export function sqliteProblem(error: unknown, path: string): StoreError {
  if (error instanceof StoreError) return error;
  if (property(error, 'code') === 'ERR_INVALID_STATE') {
    return new StoreError('STORE_CLOSED', `The store ${path} was closed: open a new one.`, error);
  }
  const [code, text] = describe(error);
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(code, `The store ${path} ${text} (${reason}).`, error);
}

/** Whether another process holds a lock that a statement needs. */
export function isLocked(error: unknown): boolean {
  return primaryCode(error) === LOCKED;
}

function describe(error: unknown): readonly [StoreErrorCode, string] {
  if (property(error, 'syscall') === 'mkdir') return NO_FOLDER;
  return (
    PROBLEMS[Number(property(error, 'errcode'))] ??
    PROBLEMS[primaryCode(error)] ?? ['STORE_FAILED', 'failed']
  );
}

function primaryCode(error: unknown): number {
  // Only node:fs, which creates the folders and looks at the file, names a system call.
  const call = property(error, 'syscall');
  if (call !== undefined) return call === 'access' ? READ_ONLY : CANNOT_OPEN;
  // The low byte of an extended result code is the primary one.
  return Number(property(error, 'errcode')) & 0xff;
}

function property(error: unknown, name: 'code' | 'errcode' | 'syscall'): unknown {
  return error instanceof Error ? Reflect.get(error, name) : undefined;
}
