import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.js';
import { sqliteProblem } from './sqlite-problem.js';
import type { SqliteFailure, SqliteReply, SqliteWrite, WriterData } from './writer-worker.js';

/** The row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, unknown>> | undefined;

// Relative to this file, both in src/ and in dist/.
const WORKER = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url);

/** Options of a {@link SqliteWriter}. */
export interface SqliteWriterOptions extends Omit<WriterData, 'claim'> {
  /** Maximum time of a write in milliseconds, for messages. */
  readonly timeout: number;
  /** Called when the writer thread dies. */
  readonly warn: (error: StoreError) => void;
}

interface Running {
  readonly resolve: (outcomes: readonly (WrittenRow | StoreError)[]) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Writes to an SQLite file in a separate thread, so that the disk and locks do not block the main thread.
 * The next batch starts a new thread if the current one has died.
 */
export class SqliteWriter {
  readonly #options: SqliteWriterOptions;
  readonly #claim = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined = undefined;
  #running: Running | undefined = undefined;

  /** @param options - The database, which has the current schema, and its limits. */
  constructor(options: SqliteWriterOptions) {
    this.#options = options;
  }

  /**
   * Commits writes in one transaction. Wait for the result before the next call.
   *
   * @returns The row or error of each write.
   * @throws {StoreError} When no write was made, or with `STORE_INTERRUPTED` when the outcome is unknown.
   */
  commit(writes: readonly SqliteWrite[]): Promise<readonly (WrittenRow | StoreError)[]> {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      Atomics.store(this.#claim, 0, 0);
      this.#worker ??= this.#start();
      this.#worker.ref();
      // Posting text is several times faster than posting objects.
      this.#worker.postMessage(JSON.stringify(writes));
    });
  }

  /**
   * Gives up the first writes of the current batch. They are never made if the thread is still waiting for
   * the lock.
   *
   * @param count - Number of writes to give up.
   * @returns `STORE_LOCKED`, or `STORE_INTERRUPTED` if the thread is already making the writes.
   */
  giveUp(count: number): StoreError {
    const { path, timeout } = this.#options;
    const before = Atomics.load(this.#claim, 0);
    if (before >= 0 && Atomics.compareExchange(this.#claim, 0, before, count) === before) {
      return new StoreError(
        'STORE_LOCKED',
        `The store ${path} could not start a write within ${timeout} ms and has dropped it. End the ` +
          'process that locks the file, or try again later.',
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
    await new Promise<void>((resolve) => {
      worker.ref();
      worker.once('exit', () => resolve()).postMessage('close');
    });
  }

  #start(): Worker {
    const { path, files, maxPages, warn } = this.#options;
    const workerData: WriterData = { path, files, maxPages, claim: this.#claim };
    const worker = new Worker(WORKER, { workerData, name: 'users-api-sqlite-writer' });
    let cause: unknown;
    worker.on('message', (reply: string) => {
      // An idle thread must not keep the process alive.
      worker.unref();
      this.#settle(JSON.parse(reply));
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      if (this.#running === undefined) return;
      const error = new StoreError(
        'STORE_INTERRUPTED',
        `The writer thread of the store ${path} died. Its current writes may or may not have been ` +
          'committed. The next write starts a new thread.',
        cause,
      );
      warn(error);
      this.#running.reject(error);
      this.#running = undefined;
    });
    return worker;
  }

  #settle(reply: SqliteReply): void {
    const running = this.#running;
    this.#running = undefined;
    if ('failure' in reply) {
      running?.reject(this.#problem(reply.failure));
      return;
    }
    running?.resolve(
      reply.map((outcome) => ('failure' in outcome ? this.#problem(outcome.failure) : outcome.row)),
    );
  }

  #problem({ message, ...properties }: SqliteFailure): StoreError {
    return sqliteProblem(Object.assign(new Error(message), properties), this.#options.path);
  }
}
