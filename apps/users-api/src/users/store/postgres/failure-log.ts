import { StoreError } from '@fairlead/store';

/** Minimum milliseconds between two warnings with the same message. */
const INTERVAL = 60_000;

interface Entry {
  readonly error: StoreError;
  warnedAt: number;
  /** Number of failures since the last warning. */
  count: number;
}

/** Warns of the first of several equal failures at once, and then of their number once a minute. */
export class FailureLog {
  readonly #warn: (error: StoreError) => void;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();

  /** @param now - Returns the time in milliseconds. */
  constructor(warn: (error: StoreError) => void, now = () => performance.now()) {
    this.#warn = warn;
    this.#now = now;
  }

  add(error: StoreError): void {
    this.flush();
    const entry = this.#entries.get(error.message);
    if (entry !== undefined) {
      entry.count += 1;
      return;
    }
    this.#entries.set(error.message, { error, warnedAt: this.#now(), count: 0 });
    this.#report(error);
  }

  /** Whether {@link flush} may have something to do. */
  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /**
   * Warns of the failures that were counted for long enough.
   *
   * @param age - Minimum milliseconds since the last warning.
   */
  flush(age = INTERVAL): void {
    const now = this.#now();
    for (const [message, entry] of this.#entries) {
      if (now - entry.warnedAt < age) continue;
      if (entry.count === 0) this.#entries.delete(message);
      else {
        const seconds = Math.round((now - entry.warnedAt) / 1_000);
        const times = entry.count === 1 ? 'once more' : `${entry.count} more times`;
        const text = `${message} This happened ${times} in ${seconds} s.`;
        entry.warnedAt = now;
        entry.count = 0;
        this.#report(new StoreError(entry.error.code, text, entry.error.cause));
      }
    }
  }

  /** A listener that fails must not fail the statement, which has given back its connection. */
  #report(error: StoreError): void {
    try {
      this.#warn(error);
    } catch (cause) {
      console.error(error, new Error('warn of the store failed.', { cause }));
    }
  }
}
