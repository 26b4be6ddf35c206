// The writer thread loads this file without a TypeScript loader, so it may only import from node:*.
import { realpathSync, statSync } from 'node:fs';

/** SQLITE_BUSY: another connection holds a lock. */
export const BUSY = 5;
/** SQLITE_READONLY_DBMOVED, which SQLite does not detect with a write-ahead log. */
export const MOVED = 1032;

/** Returns the primary result code of an error, which is the low byte of the extended one. */
export function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff;
}

/** Identities of the files of an open database. SQLite does not replace them while a connection is open. */
export type OpenedFiles = ReadonlyMap<string, string | undefined>;

/** Remembers the files of an open database. */
export function rememberFiles(path: string): OpenedFiles {
  // For a symbolic link, SQLite places the log next to its target.
  const target = realpathSync(path);
  return new Map([path, `${target}-wal`, `${target}-shm`].map((file) => [file, identify(file)]));
}

/**
 * Detects files of a database that were deleted, moved or replaced. Later writes of this process would be
 * lost, or go to a file that no other process opens.
 */
export function findMoved(files: OpenedFiles): Error | undefined {
  for (const [path, identity] of files) {
    const found = identify(path);
    if (found === identity) continue;
    const problem = found === undefined ? 'is missing' : 'is a different file';
    return Object.assign(new Error(`${path} ${problem}`), { errcode: MOVED });
  }
  return undefined;
}

function identify(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
