// Runs in a worker thread, and in development without a loader: it imports values from node alone.
import { extname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { OpenedFile } from './opened-files.js';

/** Where a writer writes, and within which bounds. */
export interface WriterData {
  readonly path: string;
  /** What the other thread has opened. */
  readonly files: readonly OpenedFile[];
  /**
   * One number that both threads see: how many writes at the start of the batch the other thread has
   * given up, or {@link TAKEN} once this thread has the lock and writes the others.
   */
  readonly claim: Int32Array<SharedArrayBuffer>;
  /** Largest size of the file, in pages; SQLite's own bound when 0. */
  readonly maxPages: number;
}

/** One change: the statement's name, and its parameters in their order. */
export interface SqliteWrite {
  readonly statement: keyof typeof STATEMENTS;
  readonly parameters: readonly (string | null)[];
}

/** What is left of an error on its way to another thread. */
export interface SqliteFailure {
  readonly message: string;
  /** SQLite's extended result code. */
  readonly errcode: unknown;
  /** What node:fs was doing. */
  readonly syscall: unknown;
}

/** What a write returned: its row if it has one, or how many rows it changed. */
export type SqliteOutcome =
  | { readonly row?: Readonly<Record<string, unknown>> }
  | { readonly failure: SqliteFailure };

/** A batch's outcomes in the order of its writes, or why none of them was made. */
export type SqliteReply = readonly SqliteOutcome[] | { readonly failure: SqliteFailure };

const STATEMENTS = {
  create: `INSERT INTO users (id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)`,
  // One statement reads and writes, so nothing comes between; ISO times sort as text.
  update: `UPDATE users
    SET name = coalesce(?, name), email = coalesce(?, email), updated_at = max(updated_at, ?)
    WHERE id = ?
    RETURNING id, name, email, created_at AS createdAt, updated_at AS updatedAt`,
  delete: 'DELETE FROM users WHERE id = ? RETURNING id',
} as const;

/**
 * Pages of 4 KiB in the log after which they are folded into the file. Ids are random, so that a write
 * touches pages all over the file: the more are folded at once, the more often one is folded for many.
 */
const CHECKPOINT_PAGES = 10_000;

const BUSY = 5;
// SQLite undoes one statement for these and goes on with the transaction: TOOBIG, CONSTRAINT, MISMATCH.
const OF_ONE_STATEMENT: ReadonlySet<number> = new Set([18, 19, 20]);
/** Milliseconds between two tries for the lock. */
const LOCK_INTERVAL = 1;
const TAKEN = -1;

const { path, files, claim, maxPages } = workerData as WriterData;
// Beside this file, in src/ as well as in dist/.
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
  // SQLite would create a file that is gone.
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
 * Takes the write lock, and then the batch. SQLite's own way to wait sleeps ever longer, and starves
 * beside a busy process.
 *
 * @returns How many writes at the start of the batch were given up before that.
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
    if (!OF_ONE_STATEMENT.has(primaryCode(error))) throw error;
    return { failure: toFailure(error) };
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full.
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

/** The low byte of an extended result code. */
function primaryCode(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode) & 0xff;
}
