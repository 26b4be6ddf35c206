import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { SetupError } from '@fairlead/core';
import { backoff, joinWords, messageOf } from '@fairlead/options';
import type {
  ClaimedJob,
  DeadLetter,
  DeadLettersPage,
  JobBackend,
  JobFailure,
  JobSettings,
} from './backend.js';

/** Milliseconds without a sign of life after which a job runs again. */
const LEASE = 15_000;

/** Milliseconds between two signs of life. */
const RENEWAL = 5_000;

/** Milliseconds between two looks for jobs that other processes add, and for delayed ones. */
const POLLING = 500;

/**
 * Creates the table of jobs, for the `migrations` of `openSqlite()`. A trigger may insert into it, too:
 * `INSERT INTO jobs (name, payload) VALUES ('welcome', json_object('email', new.email))`. The column `run_at` of a job
 * that runs is when another process may take it over.
 */
export const jobsMigration = `CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  run_at INTEGER NOT NULL DEFAULT 0,
  attempt INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  failed_at INTEGER
) STRICT;
CREATE INDEX jobs_due ON jobs (name, run_at) WHERE failed_at IS NULL;
CREATE INDEX jobs_failed ON jobs (failed_at, id) WHERE failed_at IS NOT NULL;`;

/** The statements of jobs, for `openSqlite()`. */
export const jobsStatements = Object.freeze({
  jobsAdd: 'INSERT INTO jobs (name, payload, run_at) VALUES (?, ?, ?) RETURNING id',
  // The writes of a transaction return no rows, so its jobs need their IDs before.
  jobsNextId: `REPLACE INTO sqlite_sequence (rowid, name, seq)
    SELECT max(rowid), 'jobs', coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'jobs' RETURNING seq`,
  jobsAddLater: 'INSERT INTO jobs (id, name, payload, run_at) VALUES (?, ?, ?, ?)',
  jobsClaim: `UPDATE jobs SET attempt = attempt + 1, run_at = ? WHERE id = (
      SELECT id FROM jobs WHERE name = ? AND failed_at IS NULL AND run_at <= ? ORDER BY run_at, id LIMIT 1
    ) RETURNING id, payload, attempt`,
  jobsDelay:
    'UPDATE jobs SET run_at = ? WHERE id = ? AND attempt = ? AND failed_at IS NULL RETURNING id',
  // Violates the check of the payload unless the job is still that of the worker.
  jobsHold: `INSERT INTO jobs (name, payload) SELECT '', '' WHERE NOT EXISTS (
      SELECT 1 FROM jobs WHERE id = ? AND attempt = ? AND failed_at IS NULL
    )`,
  jobsComplete: 'DELETE FROM jobs WHERE id = ? AND attempt = ? AND failed_at IS NULL RETURNING id',
  jobsBury: `UPDATE jobs SET failed_at = ?, error = ?, attempt = min(attempt, ?)
    WHERE id = ? AND attempt = ? AND failed_at IS NULL RETURNING id`,
  jobsRetry: `UPDATE jobs SET failed_at = NULL, error = NULL, attempt = 0, run_at = ?
    WHERE id = ? AND failed_at IS NOT NULL RETURNING id`,
  jobsDiscard: 'DELETE FROM jobs WHERE id = ? AND failed_at IS NOT NULL RETURNING id',
});

/** A name in {@link jobsStatements}. */
export type JobsStatement = keyof typeof jobsStatements;

/** The queries of jobs. */
export interface JobsQueries {
  /** What {@link storeBackend} reads. */
  readonly jobs: {
    readonly isDue: (name: string, now: number) => boolean;
    readonly failed: (limit: number, after: number) => readonly DeadLetter[];
  };
}

/** Prepares the queries of jobs, for the `prepare` of `openSqlite()`. */
export function prepareJobs(database: DatabaseSync): JobsQueries {
  const due = database.prepare(
    'SELECT 1 FROM jobs WHERE name = ? AND failed_at IS NULL AND run_at <= ? LIMIT 1',
  );
  const failed = database.prepare(`SELECT id, name, payload, error, attempt, failed_at FROM jobs
    WHERE failed_at IS NOT NULL
      AND (failed_at, id) > (coalesce((SELECT failed_at FROM jobs WHERE id = ?1), 0), ?1)
    ORDER BY failed_at, id LIMIT ?2`);
  return {
    jobs: {
      isDue: (name, now) => due.get(name, now) !== undefined,
      failed: (limit, after) =>
        failed.all(after, limit).map((row) => ({
          id: String(row.id),
          jobId: String(row.id),
          name: String(row.name),
          payload: JSON.parse(String(row.payload)),
          error: String(row.error),
          attempts: Number(row.attempt),
          failedAt: new Date(Number(row.failed_at)),
        })),
    },
  };
}

/** A database of `openSqlite()` with {@link jobsMigration}, {@link jobsStatements} and {@link prepareJobs}. */
export interface JobsStore {
  write(
    statement: JobsStatement,
    ...parameters: (string | number | null)[]
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
  read<T>(work: (queries: JobsQueries) => T): T;
}

/** The transactions of a {@link JobsStore}: `createTransactions(storeAdapter(store))`. */
export interface JobsTransactions {
  readonly adapter: { readonly database?: object };
  readonly client: {
    write(statement: JobsStatement, ...parameters: (string | number | null)[]): Promise<void>;
  };
  readonly isOpen: boolean;
  run<T>(work: () => Promise<T>): Promise<T>;
  afterCommit(callback: () => unknown): void;
}

/**
 * Keeps jobs in an SQLite file, by `@fairlead/store`, for the processes of one machine. A trigger may add a job in the
 * write that causes it, too.
 *
 * @param store - Stays open: its owner closes it after the jobs.
 * @param db - The transactions of the store. Without them, `enqueue()` stores a job at once, also in a transaction, and
 *   jobs can't have `transaction: true`.
 */
export function storeBackend(store: JobsStore, db?: JobsTransactions): JobBackend {
  return new StoreBackend(store, db);
}

/** Returns the row of an ID; 0, which no job has, for other text. */
function rowOf(id = ''): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : 0;
}

/** A job that runs. */
interface Run {
  readonly id: number;
  readonly attempt: number;
  readonly controller: AbortController;
  /** Whether its row was written since it was claimed, so that how it ends has no effect. */
  isSettled: boolean;
}

class StoreBackend implements JobBackend {
  readonly #store: JobsStore;
  readonly #db: JobsTransactions | undefined;
  readonly #workers = new Map<string, () => void>();
  readonly #runs = new Set<Run>();
  readonly #ends = new Set<Promise<void>>();
  readonly #claims = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[] = [];
  #onError: (error: unknown) => void = () => undefined;
  #isPaused = false;
  #renewedAt = 0;
  /** Whether close() has stopped waiting for jobs. */
  #isLate = false;
  readonly deadLetters = Object.freeze({
    list: async ({ limit = 100, after }: DeadLettersPage = {}) =>
      this.#store.read(({ jobs }) => jobs.failed(limit, rowOf(after))),
    retry: async (id: string) => {
      const row = await this.#store.write('jobsRetry', Date.now(), rowOf(id));
      for (const wake of this.#workers.values()) wake();
      return row !== undefined;
    },
    discard: async (id: string) =>
      (await this.#store.write('jobsDiscard', rowOf(id))) !== undefined,
  });

  constructor(store: JobsStore, db: JobsTransactions | undefined) {
    this.#store = store;
    this.#db = db;
  }

  async open(
    kinds: readonly JobSettings[],
    works: boolean,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const names = kinds.filter(({ transaction }) => transaction).map(({ name }) => `'${name}'`);
    if (names.length > 0 && this.#db === undefined) {
      throw new SetupError(
        'INVALID_JOBS',
        `storeBackend() lacks the transactions for the jobs ${joinWords(names, 'and')}. Pass those that their handlers write with: const db = createTransactions(storeAdapter(store)), then storeBackend(store, db), and db.client.write() in handlers. Or remove transaction: true.`,
      );
    }
    if (this.#db !== undefined && this.#db.adapter.database !== this.#store) {
      throw new SetupError(
        'INVALID_JOBS',
        'storeBackend() got the transactions of another database than its store. Pass those of storeAdapter() with the same store.',
      );
    }
    this.#onError = onError;
    if (works) this.#timers.push(setInterval(() => void this.#renew(), RENEWAL).unref());
  }

  async add(name: string, payload: unknown, delay: number): Promise<string> {
    const text = JSON.stringify(payload);
    const wake = (): void => this.#workers.get(name)?.();
    // Throws after the end of a transaction.
    const transaction = this.#db?.client;
    if (transaction === undefined || !this.#db?.isOpen) {
      const row = await this.#store.write('jobsAdd', name, text, Date.now() + delay);
      wake();
      return String(row?.id);
    }
    this.#db.afterCommit(wake);
    const { seq } = (await this.#store.write('jobsNextId')) ?? {};
    await transaction.write('jobsAddLater', Number(seq), name, text, Date.now() + delay);
    return String(seq);
  }

  async work(
    kind: JobSettings,
    run: (job: ClaimedJob) => Promise<JobFailure | undefined>,
  ): Promise<void> {
    const { name, concurrency } = kind;
    let [running, isClaiming] = [0, false];
    const startNext = async (): Promise<void> => {
      if (isClaiming) return;
      isClaiming = true;
      try {
        // After a pause of the process, its jobs look like those of a killed one.
        if (Date.now() - this.#renewedAt > RENEWAL) await this.#renew();
        while (!this.#isPaused && running < concurrency && this.#isDue(name)) {
          const job = await this.#claim(name);
          if (job === undefined) break;
          running += 1;
          const end = this.#run(kind, job, run)
            .catch(this.#onError)
            .finally(() => {
              this.#ends.delete(end);
              running -= 1;
              wake();
            });
          this.#ends.add(end);
        }
      } catch (error) {
        this.#onError(error);
      } finally {
        isClaiming = false;
      }
    };
    // Jobs don't run in the asynchronous context of the request that adds them.
    const inContext = AsyncLocalStorage.snapshot();
    const wake = (): void => {
      const claim = inContext(startNext).then(() => void this.#claims.delete(claim));
      this.#claims.add(claim);
    };
    this.#workers.set(name, wake);
    this.#timers.push(setInterval(wake, POLLING));
    wake();
  }

  pause(): void {
    this.#isPaused = true;
  }

  async close(timeout: number): Promise<void> {
    this.#isPaused = true;
    // A job that is being claimed runs, too.
    const ended = Promise.all(this.#claims).then(() => Promise.all(this.#ends));
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeout);
    await Promise.race([ended, deadline]);
    clearTimeout(timer);
    this.#isLate = true;
    await Promise.all(this.#claims);
    await Promise.all(
      [...this.#runs].map(async (run) => {
        await this.#settle(run, 'jobsDelay', Date.now());
        run.controller.abort(new Error('The process stops.'));
      }),
    );
    for (const one of this.#timers) clearInterval(one);
  }

  #isDue(name: string): boolean {
    return this.#store.read(({ jobs }) => jobs.isDue(name, Date.now()));
  }

  async #claim(name: string) {
    const now = Date.now();
    const row = await this.#store.write('jobsClaim', now + LEASE, name, now);
    if (row === undefined) return undefined;
    const { id, attempt, payload } = row;
    return { id: Number(id), attempt: Number(attempt), payload: String(payload) };
  }

  /** Runs a job, and writes how it ended. */
  async #run(
    { name, retries, backoff: first, maxBackoff, timeout }: JobSettings,
    { id, attempt, payload }: { id: number; attempt: number; payload: string },
    run: (job: ClaimedJob) => Promise<JobFailure | undefined>,
  ): Promise<void> {
    const controller = new AbortController();
    const current: Run = { id, attempt, controller, isSettled: false };
    const fail = async (error: unknown, isFinal: boolean): Promise<void> => {
      if (isFinal || attempt > retries) {
        // A job whose process was killed was claimed once more than it ran.
        await this.#settle(current, 'jobsBury', Date.now(), messageOf(error), retries + 1);
        return;
      }
      const delay = backoff(first, attempt - 1, maxBackoff);
      await this.#settle(current, 'jobsDelay', Date.now() + delay);
    };
    if (attempt > retries + 1) {
      const error = new Error(
        `The job '${name}' (${id}) is a dead letter now: its process ended during the last run.`,
      );
      this.#onError(error);
      await fail(error, true);
      return;
    }
    this.#runs.add(current);
    // close() lets another process run it.
    if (this.#isLate) return;
    const timer = setTimeout(() => {
      const error = new Error(`The job '${name}' (${id}) ran for more than ${timeout} ms.`);
      this.#onError(error);
      controller.abort(error);
      void fail(error, false);
    }, timeout);
    try {
      const failure = await run({
        id: String(id),
        payload: JSON.parse(payload),
        attempt,
        signal: controller.signal,
        transact: (work) => this.#transact(current, work),
      });
      clearTimeout(timer);
      if (failure !== undefined) await fail(failure.error, failure.isFinal);
      else await this.#settle(current, 'jobsComplete');
    } finally {
      clearTimeout(timer);
      this.#runs.delete(current);
    }
  }

  /** Runs work in a transaction that also completes the job. */
  async #transact(run: Run, work: () => Promise<void>): Promise<void> {
    const db = this.#db;
    try {
      await db?.run(async () => {
        await work();
        await db.client.write('jobsHold', run.id, run.attempt);
        await db.client.write('jobsComplete', run.id, run.attempt);
      });
    } catch (error) {
      if (Object(Object(error).cause).statement !== 'jobsHold') throw error;
      throw new Error(
        'Another worker has this job, because it ran for too long or its process did not respond. Its transaction was rolled back.',
        { cause: error },
      );
    }
    run.isSettled = true;
  }

  /** Writes how a job ended, once. Never rejects: it runs again if the write fails. */
  async #settle(
    run: Run,
    statement: 'jobsDelay' | 'jobsComplete' | 'jobsBury',
    ...values: (string | number)[]
  ): Promise<void> {
    if (run.isSettled) return;
    run.isSettled = true;
    const parameters = values.map((value) =>
      typeof value === 'number' ? Math.round(value) : value,
    );
    try {
      await this.#store.write(statement, ...parameters, run.id, run.attempt);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Keeps other processes from running the jobs that run here. Concurrent writes share a commit. */
  async #renew(): Promise<void> {
    this.#renewedAt = Date.now();
    const until = this.#renewedAt + LEASE;
    await Promise.all(
      [...this.#runs].map(async (run) => {
        if (run.isSettled) return;
        try {
          const row = await this.#store.write('jobsDelay', until, run.id, run.attempt);
          if (row === undefined && !run.isSettled) {
            run.controller.abort(new Error('Another process runs the job.'));
          }
        } catch (error) {
          this.#onError(error);
        }
      }),
    );
  }
}
