import { SetupError } from '@fairlead/core';
import { assertStorable, messageOf } from '@fairlead/options';
import type { Transactions } from '@fairlead/transactions';
import { type ConstructorOptions, type Db, type JobWithMetadata, PgBoss } from 'pg-boss';
import type {
  ClaimedJob,
  DeadLetter,
  DeadLettersPage,
  JobBackend,
  JobFailure,
  JobSettings,
} from './backend.js';

/** The queue of jobs that failed for the last time. */
const DEAD_LETTERS = 'fairlead.dead-letters';

/** Seconds between two looks for jobs that nothing announces: retries, and delayed ones. */
const POLLING = 2;

/** Seconds without a sign of life after which another process runs the job of a killed one. */
const HEARTBEAT = 15;

/** Seconds between two looks for such jobs. */
const SUPERVISION = 10;

/** Seconds for which jobs and dead letters wait: ten years. pg-boss would delete them after two weeks. */
const FOREVER = 315_360_000;

/** Matches the IDs of jobs. PostgreSQL refuses others. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Options of {@link pgBossBackend}: those of pg-boss, except the ones that the backend sets. */
export type PgBossOptions = Omit<
  ConstructorOptions,
  'db' | 'schedule' | 'supervise' | 'useListenNotify'
>;

/** What is stored for a job. pg-boss stores objects only. */
interface Stored {
  readonly payload: unknown;
}

/**
 * Keeps jobs in PostgreSQL, by pg-boss. It creates and migrates its tables in the schema `pgboss`, and opens
 * connections in addition to those of the transactions.
 *
 * @param db - The transactions that jobs are enqueued in, of the same database.
 * @param options - A connection string, or the options of pg-boss, such as `connectionString`, `schema` and `max`.
 * @see https://pgboss.io/api/constructor
 */
export function pgBossBackend<Client>(
  db: Transactions<Client>,
  options: string | PgBossOptions,
): JobBackend {
  return new PgBossBackend(db, options);
}

class PgBossBackend<Client> implements JobBackend {
  readonly #db: Transactions<Client>;
  readonly #options: PgBossOptions;
  #boss: PgBoss | undefined = undefined;
  readonly #names: string[] = [];
  readonly deadLetters = Object.freeze({
    list: (page?: DeadLettersPage) => this.#list(page),
    retry: (id: string) => this.#retry(id),
    discard: (id: string) => this.#discard(id),
  });

  constructor(db: Transactions<Client>, options: string | PgBossOptions) {
    this.#db = db;
    this.#options = typeof options === 'string' ? { connectionString: options } : options;
  }

  async open(
    kinds: readonly JobSettings[],
    works: boolean,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const boss = new PgBoss({
      superviseIntervalSeconds: SUPERVISION,
      monitorIntervalSeconds: SUPERVISION,
      ...this.#options,
      schedule: false,
      supervise: works,
      useListenNotify: works,
    });
    boss.on('error', onError);
    boss.on('warning', ({ message }) => process.emitWarning(message, 'JobsWarning'));
    try {
      await boss.start();
      await this.#assertSameDatabase();
      const forever = { retentionSeconds: FOREVER };
      await boss.createQueue(DEAD_LETTERS, forever);
      for (const kind of kinds) {
        const queue = { ...forever, ...queueOf(kind) };
        await boss.createQueue(kind.name, queue);
        // One that exists keeps its options otherwise.
        await boss.updateQueue(kind.name, queue);
      }
    } catch (error) {
      await boss.stop({ graceful: false });
      throw error;
    }
    this.#boss = boss;
  }

  /** @throws {SetupError} `INVALID_JOBS`, when the transactions can't see the tables of pg-boss. */
  async #assertSameDatabase(): Promise<void> {
    const { adapter } = this.#db;
    const { schema = 'pgboss' } = this.#options;
    const text = 'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2';
    const tables = await adapter.query(adapter.client, text, [schema, 'job']);
    if (tables.length > 0) return;
    throw new SetupError(
      'INVALID_JOBS',
      `The database of createTransactions() lacks the schema '${schema}', which pgBossBackend() has created in another one. Connect both to the same database.`,
    );
  }

  async add(name: string, payload: unknown, delay: number): Promise<string> {
    assertStorable(`Cannot enqueue the job '${name}'`, payload, 'payload');
    const stored: Stored = { payload };
    const startAfter = Math.ceil(delay / 1_000);
    const id = await this.#opened.send(name, stored, { startAfter, db: this.#transaction() });
    if (id === null) throw new Error(`pg-boss has not stored the job '${name}'.`);
    return id;
  }

  async work(
    { name, concurrency }: JobSettings,
    run: (job: ClaimedJob) => Promise<JobFailure | undefined>,
  ): Promise<void> {
    this.#names.push(name);
    await this.#opened.work(
      name,
      {
        includeMetadata: true,
        perJobResults: true,
        localConcurrency: concurrency,
        pollingIntervalSeconds: POLLING,
        notifyPollingIntervalSeconds: POLLING,
      },
      (jobs: JobWithMetadata<Stored>[]) =>
        Promise.all(
          jobs.map(async (job) => {
            const failure = await run(this.#claim(job));
            if (failure === undefined) return { id: job.id, status: 'completed' as const };
            const status = failure.isFinal ? ('deadletter' as const) : ('failed' as const);
            return { id: job.id, status, output: outputOf(failure.error) };
          }),
        ),
    );
  }

  #claim(job: JobWithMetadata<Stored>): ClaimedJob {
    const { id, name, data, retryCount, signal, sourceRootId } = job;
    return {
      id: sourceRootId ?? id,
      payload: data.payload,
      attempt: retryCount + 1,
      signal,
      transact: (work) =>
        this.#db.run(async () => {
          await work();
          const claim = { id, retryCount };
          const done = await this.#opened.complete(name, claim, null, { db: this.#transaction() });
          if (countOf(done) === 1) return;
          throw new Error(
            'Another worker has this job, because it ran for too long or its process did not respond. Its transaction was rolled back.',
          );
        }),
    };
  }

  pause(): void {
    void this.#endWork();
  }

  async close(timeout: number): Promise<void> {
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeout);
    await Promise.race([this.#endWork(), deadline]);
    clearTimeout(timer);
    // A graceful stop would wait for a second at least, even without time.
    await this.#opened.stop({ graceful: false });
  }

  /** Stops claiming jobs, and waits for those that run. */
  async #endWork(): Promise<void> {
    await Promise.all(this.#names.map((name) => this.#opened.offWork(name)));
  }

  async #list({ limit = 100, after }: DeadLettersPage = {}): Promise<readonly DeadLetter[]> {
    // pg-boss rejects for one that was retried or discarded.
    const isListed =
      after !== undefined &&
      UUID.test(after) &&
      (await this.#opened.findJobs(DEAD_LETTERS, { id: after })).length > 0;
    const jobs = await this.#opened.findJobs<Stored>(DEAD_LETTERS, {
      limit,
      ...(isListed && { after }),
    });
    return jobs.map((job) => ({
      id: job.id,
      jobId: job.sourceRootId ?? job.id,
      name: job.sourceName ?? job.name,
      payload: job.data.payload,
      error: storedMessageOf(job.sourceOutput),
      attempts: (job.sourceRetryCount ?? 0) + 1,
      failedAt: job.createdOn,
    }));
  }

  async #retry(id: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    const db = this.#transaction();
    return (await this.#opened.redrive(DEAD_LETTERS, { ids: [id], db })) === 1;
  }

  async #discard(id: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    const db = this.#transaction();
    return countOf(await this.#opened.deleteJob(DEAD_LETTERS, id, { db })) === 1;
  }

  /** Runs statements of pg-boss in the transaction of the caller, or without one. */
  #transaction(): Db {
    const { client, adapter } = this.#db;
    return {
      executeSql: async (text, values = []) => ({
        rows: [...(await adapter.query(client, text, values))],
      }),
    };
  }

  get #opened(): PgBoss {
    if (this.#boss === undefined) {
      throw new Error('Jobs are not open yet. Await start() or open() when the process starts.');
    }
    return this.#boss;
  }
}

/** Returns the options of a queue for a kind of job. */
function queueOf({ retries, backoff, maxBackoff, timeout }: JobSettings) {
  return {
    deadLetter: DEAD_LETTERS,
    retryLimit: retries,
    retryBackoff: true,
    retryDelay: Math.ceil(backoff / 1_000),
    retryDelayMax: Math.ceil(maxBackoff / 1_000),
    expireInSeconds: Math.ceil(timeout / 1_000),
    heartbeatSeconds: HEARTBEAT,
    notify: true,
  };
}

/** Returns how many jobs a command of pg-boss has changed. */
function countOf(response: object): unknown {
  return Reflect.get(response, 'affected');
}

/** Returns what to store of an error: text that PostgreSQL can store in JSON. */
function outputOf(error: unknown): object {
  const storable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');
  const stack = error instanceof Error ? { stack: storable(error.stack ?? '') } : {};
  return { message: storable(messageOf(error)), ...stack };
}

/** Returns the message of what pg-boss has stored for a failure. Its own are in a member `value`. */
function storedMessageOf(output: unknown): string {
  const { message, value } = Object(output);
  const text = message ?? Object(value).message ?? value;
  return typeof text === 'string' ? text : JSON.stringify(output);
}
