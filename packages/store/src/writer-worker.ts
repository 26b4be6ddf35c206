// Runs in a worker thread. Node.js runs the source without a TypeScript loader, which requires the extension
// of the import below, and types that it can erase.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import {
  BUSY,
  CHECKPOINT_PAGES,
  CONSTRAINT,
  FileWatch,
  FULL,
  isGroup,
  type Outcome,
  primaryCode,
  ROLLED_BACK,
  readIndex,
  type SqliteGroup,
  type SqliteWrite,
  TAKEN,
  type WriterData,
  type WriterReply,
  type WrittenRow,
} from './connection.ts';

// Errors of a single write: no code (of a row that cannot be returned), ERROR (of a function, such as json()),
// TOOBIG, CONSTRAINT, MISMATCH.
const STATEMENT_ERRORS: readonly number[] = [0, 1, 18, CONSTRAINT, 20];
/**
 * Errors of COMMIT after which SQLite has undone it: FULL (the log has no space for the frame that ends the commit)
 * and CONSTRAINT (a deferred one).
 */
const UNDONE: readonly number[] = [FULL, CONSTRAINT];
/** Milliseconds between attempts to acquire the lock. */
const LOCK_INTERVAL = 1;
/** Size of the log, in pages, that triggers a checkpoint which makes writers wait. */
const RESTART_PAGES = 2 * CHECKPOINT_PAGES;
/** Maximum time that this checkpoint waits for readers and for other writers, in milliseconds. */
const RESTART_TIMEOUT = 100;

const READ_VERSION_AND_SPACE = `
  SELECT user_version AS version, max_page_count - page_count + freelist_count AS space
  FROM pragma_user_version, pragma_max_page_count, pragma_page_count, pragma_freelist_count`;

const { path, files, statements: texts, maxPages, claim } = workerData as WriterData;

const watch = new FileWatch(files);

type Connection = ReturnType<typeof connect>;

let connection: Connection | undefined;
/** Time that the current batch has waited for the lock, in seconds. */
let lockWait = 0;
/** Size of the log, in pages, that triggers the next attempt of {@link shortenLog}. */
let nextRestart = RESTART_PAGES;
/** The content of the file that the main thread knows. */
let known = watch.content;

parentPort?.on('message', (message: string) => {
  if (message !== 'close') {
    const reply = commit(JSON.parse(message));
    postContent();
    parentPort?.postMessage(JSON.stringify(reply));
    shortenLog();
    postContent();
    return;
  }
  connection?.database.close();
  // Ends this thread only, even if a module of --import has timers.
  process.exit();
});

function postContent(): void {
  if (watch.content !== known) parentPort?.postMessage(watch.content);
  known = watch.content;
}

function commit(writes: readonly (SqliteWrite | SqliteGroup)[]): WriterReply {
  lockWait = 0;
  let isCommitting = false;
  try {
    // SQLite would create a missing file.
    if (connection === undefined) assertInPlace();
    connection ??= connect();
    const current = connection;
    const givenUp = begin(current.database, writes.length);
    // If the batch has other writes, their outcome answers the probe.
    if (writes.length === 1 && writes[0]?.length === 0) probe(current.database);
    const outcomes = writes.map((write, index) => (index < givenUp ? {} : run(current, write)));
    assertInPlace();
    isCommitting = true;
    current.database.exec('COMMIT');
    assertInPlace();
    // Reads record in -shm up to where they read the log, unless another connection has. On a frozen file system,
    // that would block the main thread.
    current.database.exec('SELECT 1 FROM sqlite_schema');
    return { outcomes, isCommitted: true, isUnknown: false, lockWait };
  } catch (thrown) {
    const isUnknown = isCommitting && !UNDONE.includes(primaryCode(thrown));
    // What SQLite reports for overwritten files is misleading.
    const error = findCause(thrown);
    disconnect();
    // Most of the writes did not violate the constraint.
    if (primaryCode(error) === CONSTRAINT) Object.assign(Object(error), { errcode: ROLLED_BACK });
    return { outcomes: writes.map(() => failed(error)), isCommitted: false, isUnknown, lockWait };
  }
}

/**
 * Checkpoints a long log so that the next write starts it over. SQLite's automatic checkpoints don't finish while several
 * processes write without a pause. This one makes writers wait for a moment. A long read keeps it from finishing, so it
 * is tried again when the log has doubled.
 */
function shortenLog(): void {
  try {
    const { frames } = readIndex(files);
    // The log has started over.
    if (frames < CHECKPOINT_PAGES) nextRestart = RESTART_PAGES;
    if (connection === undefined || frames < nextRestart) return;
    const { database } = connection;
    Atomics.store(claim, 1, 1);
    database.exec(`PRAGMA busy_timeout = ${RESTART_TIMEOUT}`);
    const start = performance.now();
    const { busy } = database.prepare('PRAGMA wal_checkpoint(RESTART)').get() ?? {};
    const hasWaited = performance.now() - start > RESTART_TIMEOUT / 2;
    database.exec('PRAGMA busy_timeout = 0');
    // Otherwise, another process was making a checkpoint.
    if (busy === 1 && hasWaited) nextRestart = 2 * frames;
    // Remembers what the checkpoint has written. The next commit reports a problem.
    watch.findProblem();
  } catch {
    // The writes are committed, and SQLite ignores errors of its automatic checkpoints, too.
    disconnect();
  } finally {
    Atomics.store(claim, 1, 0);
  }
}

/** Closes the connection, which rolls back. The next batch opens a new one. */
function disconnect(): void {
  connection?.database.close();
  connection = undefined;
}

function findCause(thrown: unknown): unknown {
  try {
    return watch.findProblem() ?? thrown;
  } catch {
    return thrown;
  }
}

function connect() {
  const database = new DatabaseSync(path);
  try {
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
      PRAGMA max_page_count = ${maxPages}`);
    const statements = new Map<string, StatementSync>();
    for (const [name, sql] of Object.entries(texts)) {
      naming(name, () => statements.set(name, database.prepare(sql)));
    }
    // Undoes a write that has failed, or whose row cannot be returned.
    const savepoint = database.prepare('SAVEPOINT write');
    const release = database.prepare('RELEASE write');
    return { database, statements, savepoint, release };
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

/** Makes a write, or the writes of a group. If one of them fails, none is made. */
function run(current: Connection, write: SqliteWrite | SqliteGroup): Outcome {
  const { database, savepoint, release } = current;
  if (write.length === 0) return {};
  try {
    savepoint.run();
    const outcome = isGroup(write)
      ? { rows: write.map((one) => execute(current, one) ?? null) }
      : { row: execute(current, write) };
    release.run();
    return outcome;
  } catch (error) {
    // `ON CONFLICT ROLLBACK` has rolled back the other writes, too.
    if (!database.isTransaction || !STATEMENT_ERRORS.includes(primaryCode(error))) throw error;
    database.exec('ROLLBACK TO write; RELEASE write');
    return failed(error);
  }
}

function execute({ statements }: Connection, [name = '', ...parameters]: SqliteWrite): WrittenRow {
  return naming(name, () => {
    const row = statements.get(name)?.get(...parameters) as WrittenRow;
    // The message to the main thread cannot carry bytes or infinite numbers.
    for (const column in row) {
      const value = row[column];
      if (typeof value === 'object' && value) throw new Error(`it returns bytes as ${column}`);
      if (value === Infinity || value === -Infinity)
        throw new Error(`it returns ${value} as ${column}`);
    }
    return row;
  });
}

/** Writes the first page unchanged. A file of `maxPages` has space for that, but not for other writes. */
function probe(database: DatabaseSync): void {
  const { version, space } = database.prepare(READ_VERSION_AND_SPACE).get() ?? {};
  if (Number(space) <= 0) throw Object.assign(new Error('maxPages is reached'), { errcode: FULL });
  database.exec(`PRAGMA user_version = ${version}`);
}

/** Adds the name of a statement to its error. */
function naming<T>(statement: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw Object.assign(Object(error), { statement });
  }
}

function failed(error: unknown) {
  // The message of an error is not enumerable.
  return { failure: { ...(error as Error), message: (error as Error).message } };
}

function assertInPlace(): void {
  const problem = watch.findProblem();
  if (problem !== undefined) throw problem;
}
