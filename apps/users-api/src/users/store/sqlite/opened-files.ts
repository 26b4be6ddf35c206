// The thread that writes loads this file without a loader: it imports values from node alone.
import { realpathSync, statSync } from 'node:fs';

/** A file of an open database, and what tells it from another one at the same path. */
export interface OpenedFile {
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** SQLITE_READONLY_DBMOVED. SQLite itself does not look for it where it has a write-ahead log. */
const MOVED = 1032;

/**
 * Remembers the files of an open database: SQLite neither deletes nor replaces them while a connection is
 * open.
 *
 * @param path - The database file.
 * @throws {Error} The error of node:fs when nothing is at the path.
 */
export function rememberFiles(path: string): readonly OpenedFile[] {
  // SQLite keeps the log beside the file that a symbolic link leads to.
  const target = realpathSync(path);
  return [path, `${target}-wal`, `${target}-shm`].flatMap((file) => {
    const found = look(file);
    return found === undefined ? [] : [{ path: file, dev: found.dev, ino: found.ino }];
  });
}

/**
 * Looks for a file of a database that was deleted, moved or replaced. What this process writes then is lost
 * when it ends, or is in a file that no other process opens.
 *
 * @returns An error with SQLite's `errcode`, or `undefined` when all files are in place.
 */
export function findMoved(files: readonly OpenedFile[]): Error | undefined {
  for (const { path, dev, ino } of files) {
    const found = look(path);
    if (found?.ino === ino && found.dev === dev) continue;
    const what = found === undefined ? 'nothing' : 'another file';
    return Object.assign(new Error(`${what} is at ${path}`), { errcode: MOVED });
  }
  return undefined;
}

function look(path: string) {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
