// Runs in a worker thread, in development without a TypeScript loader, so it may only import from node:*.
import { extname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { OpenedFiles } from './connection.js';

/** Data that the main thread passes to the writer thread. */
export interface WriterData {
  readonly path: string;
  readonly files: OpenedFiles;
  /** Maximum size of the file, in pages, or 0 for SQLite's own limit. */
  readonly maxPages: number;
  /**
   * A number shared by both threads. It counts the writes at the start of the batch that the main thread
   * has given up. It is {@link TAKEN} once the writer thread has the lock and makes the other writes.
   */
  readonly claim: Int32Array<SharedArrayBuffer>;
}

/** The name of a statement, and its parameters. */
export type SqliteWrite = readonly [keyof typeof STATEMENTS, ...(string | null)[]];

/** The row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, unknown>> | undefined;

/** Sent for each batch. */
export interface WriterReply {
  /** The row of each write, or its error with the properties of node:sqlite or node:fs. */
  readonly outcomes: readonly { readonly row?: WrittenRow; readonly failure?: Error }[];
  readonly isCommitted: boolean;
  /** Time spent waiting for another process's lock, in seconds. */
  readonly lockWait: number;
}

// A null parameter matches any value.
const EXPECTED =
  '(name, email, updated_at) = (coalesce(?, name), coalesce(?, email), coalesce(?, updated_at))';
const STATEMENTS = {
  create: 'INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  // A single statement reads and writes atomically. ISO times sort as text.
  update: `UPDATE users
    SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
    WHERE id = ? AND ${EXPECTED}
    RETURNING id, name, email, created_at AS createdAt, updated_at AS updatedAt`,
  delete: `DELETE FROM users WHERE id = ? AND ${EXPECTED} RETURNING id`,
};

/**
 * Size of the log that triggers a checkpoint, in pages of 4 KiB. Random ids touch pages all over the file,
 * so a large log merges more changes per page.
 */
const CHECKPOINT_PAGES = 10_000;
// Errors that only roll back their statement, not the transaction: TOOBIG, CONSTRAINT, MISMATCH.
const STATEMENT_ERRORS: readonly number[] = [18, 19, 20];
/** Milliseconds between attempts to acquire the lock. */
const LOCK_INTERVAL = 1;
const TAKEN = -1;

const { path, files, maxPages, claim } = workerData as WriterData;
// Relative to this file, both in src/ and in dist/.
const { href } = new URL(`./connection${extname(import.meta.url)}`, import.meta.url);
const { BUSY, findMoved, primaryCode }: typeof import('./connection.js') = await import(href);

let connection: ReturnType<typeof connect> | undefined;
/** Time that the current batch has waited for the lock, in seconds. */
let lockWait = 0;

parentPort?.on('message', (message: string) => {
  if (message !== 'close') {
    parentPort?.postMessage(JSON.stringify(commit(JSON.parse(message))));
    return;
  }
  connection?.database.close();
  parentPort?.close();
});

function commit(writes: readonly SqliteWrite[]): WriterReply {
  lockWait = 0;
  try {
    // SQLite would create a missing file.
    assertInPlace();
    connection ??= connect();
    const { database, statements } = connection;
    const givenUp = begin(database, writes.length);
    const outcomes = writes.map(([name, ...parameters], index) =>
      index < givenUp ? {} : run(statements[name], parameters),
    );
    assertInPlace();
    database.exec('COMMIT');
    return { outcomes, isCommitted: true, lockWait };
  } catch (error) {
    // Rolls back. The next batch connects again.
    connection?.database.close();
    connection = undefined;
    return { outcomes: writes.map(() => failed(error)), isCommitted: false, lockWait };
  }
}

function connect() {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA max_page_count = ${maxPages}`);
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
  const start = performance.now();
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return Atomics.exchange(claim, 0, TAKEN);
    } catch (error) {
      const givenUp = Atomics.load(claim, 0);
      if (primaryCode(error) !== BUSY || givenUp === count) throw error;
      Atomics.wait(claim, 0, givenUp, LOCK_INTERVAL);
      lockWait = (performance.now() - start) / 1_000;
    }
  }
}

function run(statement: StatementSync, parameters: SQLInputValue[]): WriterReply['outcomes'][0] {
  try {
    return { row: statement.get(...parameters) };
  } catch (error) {
    if (!STATEMENT_ERRORS.includes(primaryCode(error))) throw error;
    return failed(error);
  }
}

function failed(error: unknown) {
  // The message of an error is not enumerable.
  return { failure: { ...(error as Error), message: (error as Error).message } };
}

function assertInPlace(): void {
  const moved = findMoved(files);
  if (moved !== undefined) throw moved;
}
