import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.js';
import { sqliteProblem } from './sqlite-problem.js';
import type { SqliteFailure, SqliteReply, SqliteWrite, WriterData } from './writer-worker.js';

/** The row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, unknown>> | undefined;

// Beside this file, in src/ as well as in dist/.
const WORKER = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url);

/** Settings of a {@link SqliteWriter}. */
export interface SqliteWriterOptions extends Omit<WriterData, 'claim'> {
  /** How long a write may take, in milliseconds, for messages. */
  readonly timeout: number;
  /** Is told of a thread that died. */
  readonly warn: (error: StoreError) => void;
}

interface Running {
  readonly resolve: (outcomes: readonly (WrittenRow | StoreError)[]) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Writes to an SQLite file in a thread of its own, so that this one waits neither for the disk nor
 * for a lock. A thread that dies is replaced with the next batch.
 */
export class SqliteWriter {
  readonly #options: SqliteWriterOptions;
  readonly #claim = new Int32Array(new SharedArrayBuffer(4));
  #worker: Worker | undefined = undefined;
  #running: Running | undefined = undefined;

  /** @param options - The database, which has the current schema, and its bounds. */
  constructor(options: SqliteWriterOptions) {
    this.#options = options;
  }

  /**
   * Makes writes durable in one transaction. Call it again once it has settled.
   *
   * @returns What each returned, or why it alone failed.
   * @throws {StoreError} When none of them was made; `STORE_INTERRUPTED` when that is not known.
   */
  commit(writes: readonly SqliteWrite[]): Promise<readonly (WrittenRow | StoreError)[]> {
    return new Promise((resolve, reject) => {
      this.#running = { resolve, reject };
      Atomics.store(this.#claim, 0, 0);
      this.#worker ??= this.#start();
      this.#worker.ref();
      // Text is handed over several times as fast as objects are.
      this.#worker.postMessage(JSON.stringify(writes));
    });
  }

  /**
   * Gives up the first writes of the batch under way. As long as another process holds the lock, they are
   * certain not to be made.
   *
   * @param count - How many.
   * @returns Why: `STORE_LOCKED`, or `STORE_INTERRUPTED` when the thread is already making them.
   */
  giveUp(count: number): StoreError {
    const { path, timeout } = this.#options;
    const before = Atomics.load(this.#claim, 0);
    if (before >= 0 && Atomics.compareExchange(this.#claim, 0, before, count) === before) {
      return new StoreError(
        'STORE_LOCKED',
        `The store ${path} could not begin a write within ${timeout} ms, and has not made it: end the ` +
          'process that locks the file, or try again later.',
      );
    }
    return new StoreError(
      'STORE_INTERRUPTED',
      `The store ${path} did not finish a write within ${timeout} ms, and may make it later: check ` +
        'the disk.',
    );
  }

  /** Closes the file. */
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
      // An idle thread keeps no process alive.
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
        `The thread that writes to the store ${path} died: what it was writing may be ` +
          'there or not. The next write starts another.',
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
