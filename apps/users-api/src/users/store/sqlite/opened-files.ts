// The writer thread loads this file without a TypeScript loader, so it may only import from node:*.
import { realpathSync, statSync } from 'node:fs';

/** A file of an open database, identified by device and inode. */
export interface OpenedFile {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** SQLITE_READONLY_DBMOVED. SQLite does not detect it with a write-ahead log. */
const MOVED = 1032;

/**
 * Identifies the files of an open database. SQLite does not replace them while a connection is open.
 *
 * @param path - Path of the database file.
 * @throws {Error} The error of node:fs, when the file does not exist.
 */
export function rememberFiles(path: string): readonly OpenedFile[] {
  // For a symbolic link, SQLite places the log next to its target.
  const target = realpathSync(path);
  return [path, `${target}-wal`, `${target}-shm`].flatMap((file) => {
    const found = stat(file);
    return found === undefined ? [] : [{ path: file, dev: found.dev, ino: found.ino }];
  });
}

/**
 * Detects files of a database that were deleted, moved or replaced. Later writes of this process would be
 * lost, or go to a file that no other process opens.
 *
 * @returns An error with SQLite's `errcode`, or `undefined` if all files are in place.
 */
export function findMoved(files: readonly OpenedFile[]): Error | undefined {
  for (const { path, dev, ino } of files) {
    const found = stat(path);
    if (found?.ino === ino && found.dev === dev) continue;
    const problem = found === undefined ? 'is missing' : 'is a different file';
    return Object.assign(new Error(`${path} ${problem}`), { errcode: MOVED });
  }
  return undefined;
}

function stat(path: string) {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
