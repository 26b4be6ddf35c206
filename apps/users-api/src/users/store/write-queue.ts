import { StoreError } from './store-error.js';

/**
 * Makes a batch of writes durable.
 *
 * @returns The result or error of each write, in the order of the writes.
 * @throws When the whole batch fails.
 */
export type WriteBatch<Write, Result> = (
  writes: readonly Write[],
) => Promise<readonly (Result | StoreError)[]>;

/** Limits of a {@link WriteQueue}. */
export interface WriteQueueLimits<Write> {
  /** Maximum number of waiting writes. Defaults to 10,000. */
  readonly waiting?: number;
  /** Maximum number of characters in waiting writes. Defaults to 64 Mi. */
  readonly text?: number;
  /** Maximum number of writes per batch. Unlimited by default. */
  readonly batch?: number;
  /** Returns the number of characters in a write. */
  readonly textOf: (write: Write) => number;
  /** Deadline of each write. None by default. */
  readonly deadline?: WriteDeadline;
}

/** Bounds the time between {@link WriteQueue.add} and its outcome. */
export interface WriteDeadline {
  /** In milliseconds, measured with a monotonic clock. */
  readonly timeout: number;
  /**
   * Called when the first `count` writes of the current batch have timed out, possibly several times
   * per batch.
   *
   * @returns The error to reject them with. The queue ignores their later outcome.
   */
  readonly giveUp: (count: number) => StoreError;
}

/** Number of checks for timed-out writes per timeout. */
const CHECKS_PER_TIMEOUT = 50;

interface Entry<Write, Result> {
  /** Time when the write was added, as `performance.now()`. */
  readonly since: number;
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches writes (group commit). Writes that arrive during a commit form the next batch, so concurrent
 * writes share the cost of waiting for the disk.
 */
export class WriteQueue<Write, Result> {
  readonly #name: string;
  readonly #commit: WriteBatch<Write, Result>;
  readonly #limits: Required<Omit<WriteQueueLimits<Write>, 'deadline'>>;
  readonly #deadline: WriteDeadline | undefined;
  /** The current batch. */
  #committing: readonly Entry<Write, Result>[] = [];
  #waiting: Entry<Write, Result>[] = [];
  #text = 0;
  #running: Promise<void> | undefined = undefined;

  /**
   * @param name - The store, for messages.
   * @param commit - Makes a batch durable. Called for one batch at a time.
   * @param limits - Limits on size and time.
   */
  constructor(name: string, commit: WriteBatch<Write, Result>, limits: WriteQueueLimits<Write>) {
    this.#name = name;
    this.#commit = commit;
    this.#limits = { waiting: 10_000, text: 64 * 1024 * 1024, batch: Infinity, ...limits };
    this.#deadline = limits.deadline;
  }

  /**
   * Adds a write.
   *
   * @returns The result of the write, once it is durable.
   * @throws {StoreError} `STORE_BUSY`, when the queue is full or the write timed out before its batch
   *   began. Nothing has been written.
   * @throws The error of the write or of its batch.
   */
  add(write: Write): Promise<Result> {
    const text = this.#text + this.#limits.textOf(write);
    if (this.#waiting.length >= this.#limits.waiting || text > this.#limits.text) {
      return Promise.reject(this.#queueFull());
    }
    this.#text = text;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ since: performance.now(), write, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once the queue is empty. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const timer = this.#deadline && this.#watch(this.#deadline);
    // Includes all writes of this turn of the event loop in the first batch.
    await new Promise(setImmediate);
    let batch = this.#begin();
    while (batch !== undefined) {
      const settle = await batch;
      // Starts the next batch first, so that it commits while the callers of this one resume.
      batch = this.#begin();
      settle();
    }
    clearInterval(timer);
    this.#running = undefined;
  }

  /** Starts to commit the waiting writes. Resolves to a function that settles their promises. */
  #begin(): Promise<() => void> | undefined {
    const entries = this.#take(this.#limits.batch);
    this.#committing = entries;
    if (entries.length === 0) return undefined;
    return this.#commit(entries.map(({ write }) => write)).then(
      (results) => () => {
        for (const [index, { resolve, reject }] of entries.entries()) {
          const result = results[index] as Result | StoreError;
          if (result instanceof StoreError) reject(result);
          else resolve(result);
        }
      },
      (error) => () => fail(entries, error),
    );
  }

  #take(count: number): Entry<Write, Result>[] {
    const taken = this.#waiting;
    this.#waiting = taken.length > count ? taken.splice(count) : [];
    this.#text = this.#waiting.reduce((sum, { write }) => sum + this.#limits.textOf(write), 0);
    return taken;
  }

  /** Rejects writes as they time out. */
  #watch({ timeout, giveUp }: WriteDeadline): NodeJS.Timeout {
    const check = () => {
      const last = performance.now() - timeout;
      const committing = countUntil(last, this.#committing);
      if (committing > 0) fail(this.#committing.slice(0, committing), giveUp(committing));
      const waiting = countUntil(last, this.#waiting);
      if (waiting > 0) fail(this.#take(waiting), this.#overdue(timeout));
    };
    // After a delay of the event loop, outcomes that have already arrived are processed first.
    return setInterval(() => setImmediate(check), timeout / CHECKS_PER_TIMEOUT);
  }

  #overdue(timeout: number): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} did not start a write within ${timeout} ms and has dropped it. ` +
        'Try again later, or use a faster disk.',
    );
  }

  #queueFull(): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} already has ${this.#waiting.length} waiting writes. ` +
        'Try again later, or use a faster disk.',
    );
  }
}

/** Counts the entries added up to a moment. Entries are in chronological order. */
function countUntil(moment: number, entries: readonly { readonly since: number }[]): number {
  const index = entries.findIndex(({ since }) => since > moment);
  return index === -1 ? entries.length : index;
}

function fail(entries: readonly Entry<unknown, never>[], error: unknown): void {
  for (const { reject } of entries) reject(error);
}
