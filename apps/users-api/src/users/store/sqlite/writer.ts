import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store-error.js';
import { sqliteProblem } from './sqlite-problem.js';
import type { SqliteFailure, SqliteReply, SqliteWrite, WriterData } from './writer-worker.js';

/** The row that a write returned, if any. */
export type WrittenRow = Readonly<Record<string, unknown>> | undefined;

// Beside this file, in src/ as well as in dist/.
const WORKER = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url);

interface Running {
  readonly resolve: (outcomes: readonly (WrittenRow | StoreError)[]) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Writes to an SQLite file in a thread of its own, so that this one waits neither for the disk nor
 * for a lock. A thread that dies is replaced with the next batch.
 */
export class SqliteWriter {
  readonly #data: WriterData;
  readonly #warn: (error: StoreError) => void;
  #worker: Worker | undefined = undefined;
  #running: Running | undefined = undefined;

  /**
   * @param data - The file, which has the current schema, and the longest wait for a lock.
   * @param warn - Is told of a thread that died.
   */
  constructor(data: WriterData, warn: (error: StoreError) => void) {
    this.#data = data;
    this.#warn = warn;
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
      this.#worker ??= this.#start();
      this.#worker.ref();
      // Text is handed over several times as fast as objects are.
      this.#worker.postMessage(JSON.stringify(writes));
    });
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
    const worker = new Worker(WORKER, { workerData: this.#data, name: 'users-api-sqlite-writer' });
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
        `The thread that writes to the store ${this.#data.path} died: what it was writing may be ` +
          'there or not. The next write starts another.',
        cause,
      );
      this.#warn(error);
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

  #problem({ message, errcode }: SqliteFailure): StoreError {
    return sqliteProblem(Object.assign(new Error(message), { errcode }), this.#data.path);
  }
}
