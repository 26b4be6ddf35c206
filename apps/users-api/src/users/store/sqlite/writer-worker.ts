// Runs in a worker thread, in development without a TypeScript loader, so it may only import from node:*.
import { extname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { OpenedFile } from './opened-files.js';

/** Data that the main thread passes to the writer thread. */
export interface WriterData {
  readonly path: string;
  /** Files that the main thread has opened. */
  readonly files: readonly OpenedFile[];
  /**
   * A number shared by both threads. It counts the writes at the start of the batch that the main thread
   * has given up. It is {@link TAKEN} once the writer thread has the lock and makes the other writes.
   */
  readonly claim: Int32Array<SharedArrayBuffer>;
  /** Maximum size of the file, in pages, or 0 for SQLite's own limit. */
  readonly maxPages: number;
}

/** A write, as the name of a statement and its positional parameters. */
export interface SqliteWrite {
  readonly statement: keyof typeof STATEMENTS;
  readonly parameters: readonly (string | null)[];
}

/** The serializable part of an error. */
export interface SqliteFailure {
  readonly message: string;
  /** SQLite's extended result code. */
  readonly errcode: unknown;
  /** The system call, for errors of node:fs. */
  readonly syscall: unknown;
}

/** The row that a write returned, if any, or its error. */
export type SqliteOutcome =
  | { readonly row?: Readonly<Record<string, unknown>> }
  | { readonly failure: SqliteFailure };

/** The outcomes of a batch in the order of its writes, or the error of the whole batch. */
export type SqliteReply = readonly SqliteOutcome[] | { readonly failure: SqliteFailure };

const STATEMENTS = {
  create: `INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
  // A single statement reads and writes atomically. ISO times sort as text.
  update: `UPDATE users
    SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
    WHERE id = ?
    RETURNING id, name, email, created_at AS createdAt, updated_at AS updatedAt`,
  delete: 'DELETE FROM users WHERE id = ? RETURNING id',
} as const;

/**
 * Size of the log that triggers a checkpoint, in pages of 4 KiB. Random ids touch pages all over the file,
 * so a large log merges more changes per page.
 */
const CHECKPOINT_PAGES = 10_000;

const BUSY = 5;
// Errors that only roll back their statement, not the transaction: TOOBIG, CONSTRAINT, MISMATCH.
const STATEMENT_ERRORS: ReadonlySet<number> = new Set([18, 19, 20]);
/** Milliseconds between attempts to acquire the lock. */
const LOCK_INTERVAL = 1;
const TAKEN = -1;

const { path, files, claim, maxPages } = workerData as WriterData;
// Relative to this file, both in src/ and in dist/.
const openedFiles = new URL(`./opened-files${extname(import.meta.url)}`, import.meta.url);
const { findMoved } = (await import(openedFiles.href)) as typeof import('./opened-files.js');
let connection: ReturnType<typeof connect> | undefined;

parentPort?.on('message', (message: string) => {
  if (message !== 'close') {
    parentPort?.postMessage(JSON.stringify(commit(JSON.parse(message))));
    return;
  }
  connection?.database.close();
  parentPort?.close();
});

function commit(writes: readonly SqliteWrite[]): SqliteReply {
  try {
    connection ??= connect();
    const { database, statements } = connection;
    const givenUp = begin(database, writes.length);
    try {
      const outcomes = writes.map(({ statement, parameters }, index) =>
        index < givenUp ? {} : run(statements[statement], parameters),
      );
      assertInPlace();
      database.exec('COMMIT');
      return outcomes;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  } catch (error) {
    return { failure: toFailure(error) };
  }
}

function connect() {
  // SQLite would create a missing file.
  assertInPlace();
  const database = new DatabaseSync(path);
  try {
    database.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA max_page_count = ${maxPages};
    `);
    const statements = {
      create: database.prepare(STATEMENTS.create),
      update: database.prepare(STATEMENTS.update),
      delete: database.prepare(STATEMENTS.delete),
    };
    return { database, statements };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Acquires the write lock and then claims the batch. Polls for the lock, because SQLite's busy handler
 * backs off and starves next to a busy process.
 *
 * @returns The number of writes at the start of the batch that were given up before.
 */
function begin(database: DatabaseSync, count: number): number {
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return Atomics.exchange(claim, 0, TAKEN);
    } catch (error) {
      const givenUp = Atomics.load(claim, 0);
      if (primaryCode(error) !== BUSY || givenUp === count) throw error;
      Atomics.wait(claim, 0, givenUp, LOCK_INTERVAL);
    }
  }
}

function run(statement: StatementSync, parameters: SqliteWrite['parameters']): SqliteOutcome {
  try {
    const row = statement.get(...parameters);
    return row === undefined ? {} : { row };
  } catch (error) {
    if (!STATEMENT_ERRORS.has(primaryCode(error))) throw error;
    return { failure: toFailure(error) };
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, as it does when the disk is full.
  }
}

function toFailure(error: unknown): SqliteFailure {
  const message = error instanceof Error ? error.message : String(error);
  const { errcode, syscall } = error as Partial<SqliteFailure>;
  return { message, errcode, syscall };
}

function assertInPlace(): void {
  const moved = findMoved(files);
  if (moved !== undefined) throw moved;
}

/** Returns the primary result code, the low byte of the extended one. */
function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff;
}
