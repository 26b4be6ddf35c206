import { StoreError } from './store-error.js';

/**
 * Makes several writes durable at once.
 *
 * @returns The outcome of each write, in the order of the writes: a result, or why it failed.
 * @throws When all of them failed, with the same error for each.
 */
export type WriteBatch<Write, Result> = (
  writes: readonly Write[],
) => Promise<readonly (Result | StoreError)[]>;

/** How much a {@link WriteQueue} takes. */
export interface WriteQueueLimits<Write> {
  /** Writes that wait, at most; 10,000 unless given. */
  readonly waiting?: number;
  /** Characters in the writes that wait, at most; 64 Mi unless given. */
  readonly text?: number;
  /** Writes in one batch, at most; all that wait unless given. */
  readonly batch?: number;
  /** Characters in a write. */
  readonly textOf: (write: Write) => number;
  /** How long a write may take; as long as it needs unless given. */
  readonly deadline?: WriteDeadline;
}

/** Bounds the time between {@link WriteQueue.add} and its outcome. */
export interface WriteDeadline {
  /** Milliseconds, on a clock that nobody sets. */
  readonly timeout: number;
  /**
   * Called, perhaps more than once, when the first `count` writes of the batch under way have run out of
   * time.
   *
   * @returns The error they fail with. The queue ignores what becomes of them later.
   */
  readonly giveUp: (count: number) => StoreError;
}

/** How often a {@link WriteQueue} looks for writes that have run out of time, per timeout. */
const LOOKS = 50;

interface Entry<Write, Result> {
  /** When it was added, as `performance.now()`. */
  readonly since: number;
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the writes that arrive while others are made durable, and makes them durable together:
 * what one wait for the disk costs is shared by all who wait.
 */
export class WriteQueue<Write, Result> {
  readonly #name: string;
  readonly #commit: WriteBatch<Write, Result>;
  readonly #limits: Required<Omit<WriteQueueLimits<Write>, 'deadline'>>;
  readonly #deadline: WriteDeadline | undefined;
  /** The batch under way. */
  #begun: readonly Entry<Write, Result>[] = [];
  #waiting: Entry<Write, Result>[] = [];
  #text = 0;
  #running: Promise<void> | undefined = undefined;

  /**
   * @param name - The store, for messages.
   * @param commit - Makes a batch durable; called again once it has settled.
   * @param limits - How much may wait, and for how long.
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
   * @returns Its result, once it is durable.
   * @throws {StoreError} `STORE_BUSY`, when as much waits as may, or when its time ran out while it
   *   waited; nothing has been written then.
   * @throws Whatever kept the write, or its batch, from becoming durable.
   */
  add(write: Write): Promise<Result> {
    const text = this.#text + this.#limits.textOf(write);
    if (this.#waiting.length >= this.#limits.waiting || text > this.#limits.text) {
      return Promise.reject(this.#full());
    }
    this.#text = text;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ since: performance.now(), write, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once nothing waits any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const timer = this.#deadline && this.#watch(this.#deadline);
    // Requests that came in one turn of the event loop go together, from the first one on.
    await new Promise(setImmediate);
    let batch = this.#begin();
    while (batch !== undefined) {
      const tell = await batch;
      // The disk works on the next batch while those of this one are answered.
      batch = this.#begin();
      tell();
    }
    clearInterval(timer);
    this.#running = undefined;
  }

  /** Begins to make durable what waits; resolves to what tells those who wait for it. */
  #begin(): Promise<() => void> | undefined {
    const entries = this.#take(this.#limits.batch);
    this.#begun = entries;
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

  /** Fails writes as they run out of time. */
  #watch({ timeout, giveUp }: WriteDeadline): NodeJS.Timeout {
    const look = () => {
      const last = performance.now() - timeout;
      const begun = countUntil(last, this.#begun);
      if (begun > 0) fail(this.#begun.slice(0, begun), giveUp(begun));
      const waiting = countUntil(last, this.#waiting);
      if (waiting > 0) fail(this.#take(waiting), this.#overdue(timeout));
    };
    // A thread that was held up first takes the outcomes that arrived meanwhile.
    return setInterval(() => setImmediate(look), timeout / LOOKS);
  }

  #overdue(timeout: number): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} did not get to a write within ${timeout} ms, and has not written it: ` +
        'try again later, or give it a faster disk.',
    );
  }

  #full(): StoreError {
    return new StoreError(
      'STORE_BUSY',
      `The store ${this.#name} has ${this.#waiting.length} writes waiting, as many as it takes: ` +
        'try again later, or give it a faster disk.',
    );
  }
}

/** How many entries, which are in the order of time, were added until a moment. */
function countUntil(moment: number, entries: readonly { readonly since: number }[]): number {
  const index = entries.findIndex(({ since }) => since > moment);
  return index === -1 ? entries.length : index;
}

function fail(entries: readonly Entry<unknown, never>[], error: unknown): void {
  for (const { reject } of entries) reject(error);
}
