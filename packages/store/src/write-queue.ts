import { StoreError } from './store-error.js';

/**
 * Makes a batch of writes durable. Returns the result or error of each write, in the order of the
 * writes, or throws when the whole batch fails.
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
  /** Maximum number of writes per batch. Defaults to 1,000. */
  readonly batch?: number;
  /** Returns the number of characters in a write. */
  readonly textOf: (write: Write) => number;
  /** Maximum time between {@link WriteQueue.add} and its outcome. Unlimited by default. */
  readonly deadline?: {
    /** In milliseconds, measured with a monotonic clock. */
    readonly timeout: number;
    /**
     * Called when the first `count` writes of the current batch have timed out, possibly several times
     * per batch. Returns the error to reject them with. The queue ignores their later outcome.
     */
    readonly giveUp: (count: number) => StoreError;
  };
}

interface Entry<Write, Result> {
  readonly write: Write;
  /** Number of characters in the write. */
  readonly text: number;
  /** Time when the write was added, as `performance.now()`. */
  readonly since: number;
  readonly settle: (outcome: Result | Error) => void;
}

/**
 * Batches writes (group commit), so concurrent writes share the cost of waiting for the disk. A batch begins two turns
 * of the event loop after the first write, or after the previous batch.
 */
export class WriteQueue<Write, Result> {
  readonly #name: string;
  readonly #commit: WriteBatch<Write, Result>;
  readonly #limits: WriteQueueLimits<Write>;
  #committing: readonly Entry<Write, Result>[] = [];
  #waiting: Entry<Write, Result>[] = [];
  /** Number of characters in the waiting writes. */
  #text = 0;
  #running: Promise<void> | undefined = undefined;
  /** Error of the last batch, if it gave up on a lock. */
  #locked: StoreError | undefined = undefined;

  /**
   * @param name - For messages, such as the path of the store.
   * @param commit - Called for one batch at a time.
   */
  constructor(name: string, commit: WriteBatch<Write, Result>, limits: WriteQueueLimits<Write>) {
    this.#name = name;
    this.#commit = commit;
    this.#limits = limits;
  }

  /** Number of writes whose batch has not begun. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a write.
   *
   * @returns The result of the write, once it is durable.
   * @throws {StoreError} `STORE_BUSY`, when the queue is full or the write timed out before its batch
   *   began. Nothing has been written. Otherwise, the error of the write or of its batch.
   */
  add(write: Write): Promise<Result> {
    const { waiting = 10_000, text: maxText = 64 * 1024 * 1024, textOf } = this.#limits;
    const text = textOf(write);
    if (this.waiting >= waiting || this.#text + text > maxText) {
      return Promise.reject(this.#busy(`already has ${this.waiting} waiting writes`));
    }
    this.#text += text;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Result | Error) =>
        outcome instanceof Error ? reject(outcome) : resolve(outcome);
      this.#waiting.push({ write, text, since: performance.now(), settle });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once the queue is empty. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const timer = this.#watch();
    while (this.waiting > 0) {
      // One turn of the event loop to receive requests that wait, and one for the writes that clients send after the
      // last outcomes. Larger batches wait for the disk less often.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      // All of them may have timed out.
      if (this.waiting === 0) break;
      const entries = this.#take(this.#limits.batch ?? 1_000);
      this.#committing = entries;
      this.#locked = undefined;
      const outcomes = await this.#outcomesOf(entries);
      this.#committing = [];
      for (const [index, outcome] of outcomes.entries()) entries[index]?.settle(outcome);
    }
    clearInterval(timer);
    this.#locked = undefined;
    this.#running = undefined;
  }

  /** Never rejects. */
  async #outcomesOf(
    entries: readonly Entry<Write, Result>[],
  ): Promise<readonly (Result | Error)[]> {
    try {
      const outcomes = await this.#commit(entries.map(({ write }) => write));
      if (outcomes.length === entries.length) return outcomes;
      throw new Error(`The batch of ${entries.length} writes has ${outcomes.length} outcomes.`);
    } catch (error) {
      const failure =
        error instanceof StoreError
          ? error
          : new StoreError('STORE_FAILED', `The store ${this.#name} failed. See the cause.`, error);
      return entries.map(() => failure);
    }
  }

  #take(count: number): readonly Entry<Write, Result>[] {
    const taken = this.#waiting.splice(0, count);
    for (const { text } of taken) this.#text -= text;
    return taken;
  }

  /** Rejects writes as they time out. */
  #watch(): NodeJS.Timeout | undefined {
    if (this.#limits.deadline === undefined) return undefined;
    const { timeout, giveUp } = this.#limits.deadline;
    const check = () => {
      const last = performance.now() - timeout;
      const committing = this.#committing.filter(({ since }) => since <= last);
      if (committing.length > 0) {
        const error = giveUp(committing.length);
        if (error.code === 'STORE_LOCKED') this.#locked = error;
        rejectAll(committing, error);
      }
      const waiting = this.#take(this.#waiting.filter(({ since }) => since <= last).length);
      const busy = this.#busy(`did not start a write within ${timeout} ms and dropped it`);
      // Behind a lock, these writes failed for the same reason, and nothing has been written.
      rejectAll(waiting, this.#locked ?? busy);
    };
    // After a delay of the event loop, outcomes that have already arrived are processed first.
    return setInterval(() => setImmediate(check), timeout / 50);
  }

  #busy(problem: string): StoreError {
    const fix = 'Try again later, or send fewer writes at once.';
    return new StoreError('STORE_BUSY', `The store ${this.#name} ${problem}. ${fix}`);
  }
}

function rejectAll(entries: readonly Entry<unknown, never>[], error: StoreError): void {
  for (const { settle } of entries) settle(error);
}
