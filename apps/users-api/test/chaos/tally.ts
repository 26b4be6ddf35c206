/** Counts of the outcomes so far. */
export interface Counts {
  /** Requests with a response other than 503. */
  readonly answered: number;
  /** Creates, updates and deletes that succeeded. */
  readonly acknowledged: number;
  /** Requests cut off by a kill, and lists cut off by a database crash. */
  readonly cut: number;
  /** Requests that were cut off because they were sent after the service began to stop. */
  readonly late: number;
  /** Responses with status 503. */
  readonly unavailable: number;
}

/** Counts outcomes and lets callers wait for a count. */
export class Tally {
  readonly counts: { -readonly [Key in keyof Counts]: number } = {
    answered: 0,
    acknowledged: 0,
    cut: 0,
    late: 0,
    unavailable: 0,
  };
  readonly #waiting = new Set<() => void>();

  add(key: keyof Counts): void {
    this.counts[key] += 1;
    for (const check of this.#waiting) check();
  }

  /** Waits until a count has grown by `by`. */
  async grown(key: keyof Counts, by: number): Promise<void> {
    const enough = this.counts[key] + by;
    await new Promise<void>((fulfil) => {
      const check = () => {
        if (this.counts[key] < enough) return;
        this.#waiting.delete(check);
        fulfil();
      };
      this.#waiting.add(check);
    });
  }
}
