/** How jobs of a kind run. Times are in milliseconds. */
export interface JobSettings {
  /** The name of the kind. */
  readonly name: string;
  /** How often a job may run again after a failure. */
  readonly retries: number;
  /** The delay before the first retry. It doubles for each further one. */
  readonly backoff: number;
  /** The longest delay before a retry. */
  readonly maxBackoff: number;
  /** How long a job may run before it has failed. */
  readonly timeout: number;
  /** How many jobs of the kind a process runs at once. */
  readonly concurrency: number;
  /** Whether handlers run in {@link ClaimedJob.transact}. */
  readonly transaction: boolean;
}

/** A job that a worker runs. */
export interface ClaimedJob {
  /** The ID that `enqueue()` returned, also after a retry. */
  readonly id: string;
  /** The payload as JSON carries it. */
  readonly payload: unknown;
  /** 1 for the first run. */
  readonly attempt: number;
  /** Aborts when the job has run for too long, or the worker stops. */
  readonly signal: AbortSignal;
  /**
   * Runs work in a transaction that also completes the job. Rolls back, and rejects, if the work fails or the job is
   * not this worker's anymore.
   */
  transact(work: () => Promise<void>): Promise<void>;
}

/** Why a job failed. */
export interface JobFailure {
  readonly error: unknown;
  /** Whether the job must not run again. */
  readonly isFinal: boolean;
}

/** A job that failed for the last time. */
export interface DeadLetter {
  /** The ID of the dead letter, for `retry()` and `discard()`. */
  readonly id: string;
  /** The ID that `enqueue()` returned. */
  readonly jobId: string;
  /** The name of the kind. */
  readonly name: string;
  /** The payload as JSON carries it. */
  readonly payload: unknown;
  /** The message of the last error. */
  readonly error: string;
  /** How often the job ran. */
  readonly attempts: number;
  readonly failedAt: Date;
}

/** Which dead letters to list. */
export interface DeadLettersPage {
  /** How many: from 1 to 1,000. Default 100. */
  readonly limit?: number;
  /** The ID of the last one of the previous page. If it was retried or discarded, the list begins again. */
  readonly after?: string | undefined;
}

/**
 * Jobs that failed for the last time. They stay until they are retried or discarded, in PostgreSQL in the transaction of
 * the caller, and in a store at once.
 */
export interface DeadLetters {
  /**
   * Returns dead letters, the oldest first.
   *
   * @throws {SetupError} `INVALID_OPTION`, when an option is unknown or invalid.
   */
  list(page?: DeadLettersPage): Promise<readonly DeadLetter[]>;
  /** Enqueues the job again, with all its retries. Returns false if there is no such dead letter. */
  retry(id: string): Promise<boolean>;
  /** Deletes a dead letter. Returns whether it existed. */
  discard(id: string): Promise<boolean>;
}

/** Where jobs are kept, such as `pgBossBackend()`. */
export interface JobBackend {
  /**
   * Prepares the storage for the kinds of jobs. Rejects, and leaves nothing open, if that fails.
   *
   * @param works - Whether `work()` follows.
   * @param onError - Receives errors that no call rejects with, such as of a lost connection.
   */
  open(
    kinds: readonly JobSettings[],
    works: boolean,
    onError: (error: unknown) => void,
  ): Promise<void>;
  /**
   * Stores a job: within a transaction, if and only if it commits.
   *
   * @param payload - A value as JSON carries it.
   * @param delay - Milliseconds before the job may run.
   * @returns The ID of the job.
   */
  add(name: string, payload: unknown, delay: number): Promise<string>;
  /**
   * Begins to run jobs of a kind. A job whose worker ends without settling it runs again.
   *
   * @param run - Resolves to undefined when the job is done. Never rejects.
   */
  work(kind: JobSettings, run: (job: ClaimedJob) => Promise<JobFailure | undefined>): Promise<void>;
  /** Stops claiming jobs. Those that run continue, and `add()` still works. */
  pause(): void;
  /**
   * Waits for the jobs that run. After `timeout` milliseconds, aborts them, so that they run again later. The shutdown of
   * a process leaves half a second for that.
   */
  close(timeout: number): Promise<void>;
  readonly deadLetters: DeadLetters;
}
