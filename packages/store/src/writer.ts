import { Worker } from 'node:worker_threads';
import type {
  Content,
  FileWatch,
  SqliteGroup,
  SqliteWrite,
  WriterData,
  WriterReply,
  WrittenRow,
} from './connection.js';
import { type DatabaseFile, sqliteProblem } from './database.js';
import { StoreError } from './store-error.js';
import { writerScript } from './writer-script.js';

/** A number that a store exports to monitoring. */
export interface StoreMetric {
  /** Name in Prometheus format, such as `store_waiting_writes`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** Returns the current value. */
  value(): number;
}

/** The row of a write, or those of a group. */
export type Written = WrittenRow | readonly WrittenRow[];

/** Options of a {@link SqliteWriter}. */
export interface SqliteWriterOptions extends Omit<WriterData, 'path' | 'claim'> {
  readonly file: DatabaseFile;
  /** Maximum time of a write in milliseconds, for messages. */
  readonly timeout: number;
  /** Receives what the writer thread finds out about the file. */
  readonly watch: FileWatch;
  /** Called when the writer thread dies. */
  readonly warn: (error: StoreError) => void;
}

/**
 * Writes to an SQLite file in a separate thread, so that the disk and locks do not block the main thread.
 * The next batch starts a new thread if the current one has died.
 */
export class SqliteWriter {
  readonly #commits = counter('store_commits_total', 'Commits.');
  readonly #lockWaits = counter('store_lock_waits_total', 'Commits that waited for a lock.');
  readonly #lockWait = counter(
    'store_lock_wait_seconds_total',
    'Time that commits waited for locks.',
  );
  readonly metrics: readonly StoreMetric[] = [
    this.#commits,
    this.#lockWaits,
    this.#lockWait,
    {
      name: 'store_writes_failing',
      help: '1 while the last commit has failed, and 0 otherwise.',
      type: 'gauge',
      value: () => Number(this.#failure !== undefined),
    },
  ];
  readonly #options: SqliteWriterOptions;
  readonly #claim = new Int32Array(new SharedArrayBuffer(8));
  #worker: Worker | undefined = undefined;
  #reply: PromiseWithResolvers<WriterReply> | undefined = undefined;
  #failure: StoreError | undefined = undefined;

  constructor(options: SqliteWriterOptions) {
    this.#options = options;
  }

  /** Why the last commit failed, until one succeeds. */
  get failure(): StoreError | undefined {
    return this.#failure;
  }

  /**
   * Commits writes in one transaction. Wait for the result before the next call.
   *
   * @returns The row or error of each write: `STORE_INTERRUPTED`, when the batch failed during or after its commit.
   * @throws {StoreError} `STORE_INTERRUPTED`, when the thread died and the outcome is unknown.
   */
  async commit(
    writes: readonly (SqliteWrite | SqliteGroup)[],
  ): Promise<readonly (Written | StoreError)[]> {
    this.#reply = Promise.withResolvers();
    Atomics.store(this.#claim, 0, 0);
    this.#worker ??= this.#start();
    this.#worker.ref();
    // Posting text is several times faster than posting objects.
    this.#worker.postMessage(JSON.stringify(writes));
    const { outcomes, isCommitted, isUnknown, lockWait } = await this.#reply.promise;
    this.#commits.add(Number(isCommitted));
    this.#lockWaits.add(Number(lockWait > 0));
    this.#lockWait.add(lockWait);
    const { file } = this.#options;
    const results = outcomes.map(({ row, rows, failure }) => {
      if (failure === undefined) return rows?.map((one) => one ?? undefined) ?? row;
      const { statement } = failure;
      const part = statement && `the statement '${statement}'`;
      return sqliteProblem(Object.assign(new Error(), failure), file, part);
    });
    const failure = results.find((result) => result instanceof StoreError);
    this.#failure = isCommitted ? undefined : failure;
    if (failure === undefined || !isUnknown) return results;
    const message =
      `The store ${file.path} failed while it committed writes, which may or may not have been made. ` +
      failure.message;
    return writes.map(() => new StoreError('STORE_INTERRUPTED', message, failure));
  }

  /**
   * Gives up the first `count` writes of the current batch. They are never made if the thread still waits.
   *
   * @returns `STORE_LOCKED`, `STORE_BUSY` while it shortens the log, or `STORE_INTERRUPTED` if it is already making the
   *   writes.
   */
  giveUp(count: number): StoreError {
    this.#failure = this.#giveUp(count);
    return this.#failure;
  }

  #giveUp(count: number): StoreError {
    const { file, timeout } = this.#options;
    const { path } = file;
    const before = Atomics.load(this.#claim, 0);
    if (before >= 0 && Atomics.compareExchange(this.#claim, 0, before, count) === before) {
      const isLocked = Atomics.load(this.#claim, 1) === 0;
      return new StoreError(
        isLocked ? 'STORE_LOCKED' : 'STORE_BUSY',
        `The store ${path} could not start a write within ${timeout} ms and dropped it. ` +
          `${isLocked ? 'End the process that locks the file, or try' : 'Try'} again later.`,
      );
    }
    return new StoreError(
      'STORE_INTERRUPTED',
      `The store ${path} did not finish a write within ${timeout} ms but may still make it. ` +
        'Check the disk.',
    );
  }

  /** Closes the database and stops the thread. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    worker.postMessage('close');
    await new Promise((resolve) => worker.once('exit', resolve));
  }

  #start(): Worker {
    this.#claim.fill(0);
    const { file, files, watch, statements, maxPages, warn } = this.#options;
    const { path, program } = file;
    const workerData: WriterData = { path, files, statements, maxPages, claim: this.#claim };
    const { script, eval: isCode } = writerScript();
    const name = `${program}-sqlite-writer`;
    const worker = new Worker(script, { eval: isCode, workerData, name });
    let cause: unknown;
    worker.on('message', (reply: unknown) => {
      if (isContent(reply)) watch.content = reply;
      // `node --watch` also sends the names of imported files.
      if (typeof reply !== 'string') return;
      // An idle thread must not keep the process alive.
      worker.unref();
      this.#reply?.resolve(JSON.parse(reply));
      this.#reply = undefined;
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      if (this.#reply === undefined) return;
      const message =
        `The writer thread of the store ${path} died. Its current writes may or may not have been ` +
        'committed. The next write starts a new thread.';
      const error = new StoreError('STORE_INTERRUPTED', message, cause);
      this.#failure = error;
      this.#reply.reject(error);
      this.#reply = undefined;
      warn(error);
    });
    return worker;
  }
}

function isContent(message: unknown): message is Content {
  return Object(message).sums instanceof Map;
}

function counter(name: string, help: string) {
  let count = 0;
  const add = (amount: number) => {
    count += amount;
  };
  return { name, help, type: 'counter' as const, value: () => count, add };
}
