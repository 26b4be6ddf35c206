// What both threads use. The writer thread loads it without a TypeScript loader, so it must only import from
// node:*.
import { realpathSync, statSync } from 'node:fs';

/** SQLITE_BUSY: another connection holds a lock. */
export const BUSY = 5;
/** SQLITE_CONSTRAINT. */
export const CONSTRAINT = 19;
/** SQLITE_FULL: the disk or the file cannot hold more. */
export const FULL = 13;
/** SQLITE_RANGE: a parameter has no placeholder. */
export const RANGE = 25;
/** SQLITE_ABORT_ROLLBACK: the writes of a batch were rolled back together. */
export const ROLLED_BACK = 516;
/** SQLITE_READONLY_DBMOVED, which SQLite does not detect with a write-ahead log. */
export const MOVED = 1032;

/** Returns the primary result code of an error, which is the low byte of the extended one. */
export function primaryCode(error: unknown): number {
  return Number((Object(error) as { errcode?: unknown }).errcode) & 0xff;
}

/** Identities of the files of an open database. SQLite does not replace them while a connection is open. */
export type OpenedFiles = ReadonlyMap<string, string | undefined>;

/** Value of {@link WriterData.claim} once the writer thread makes the writes of its batch. */
export const TAKEN = -1;

/** Data that the main thread passes to the writer thread. */
export interface WriterData {
  readonly path: string;
  readonly files: OpenedFiles;
  /** SQL of each statement by name. */
  readonly statements: Readonly<Record<string, string>>;
  /** Maximum size of the file, in pages, or 0 for SQLite's own limit. */
  readonly maxPages: number;
  /**
   * A number shared by both threads. It counts the writes at the start of the batch that the main thread has
   * given up on. It is {@link TAKEN} once the writer thread has the lock and makes the other writes.
   */
  readonly claim: Int32Array<SharedArrayBuffer>;
}

/** A parameter of a write, or a column of the row that it returns. */
export type SqliteValue = string | number | null;

/** The first row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, SqliteValue>> | undefined;

/** The name of a statement and its parameters, or a {@link PROBE}. */
export type SqliteWrite = readonly [statement: string, ...parameters: SqliteValue[]] | readonly [];

/** A write that changes nothing and finds out whether others would succeed. */
export const PROBE: SqliteWrite = [];

/** The error of a write, with the properties of node:sqlite or node:fs. */
export interface WriteFailure extends Error {
  /** Name of the statement that failed. Absent if the connection or the whole batch failed. */
  readonly statement?: string;
}

/** Sent for each batch. */
export interface WriterReply {
  readonly outcomes: readonly { readonly row?: WrittenRow; readonly failure?: WriteFailure }[];
  readonly isCommitted: boolean;
  /** Time spent waiting for another process's lock, in seconds. */
  readonly lockWait: number;
}

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
