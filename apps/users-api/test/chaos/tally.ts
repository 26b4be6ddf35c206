/** What the clients have met so far. */
export interface Counts {
  /** Requests that were answered, 503 left out. */
  readonly answered: number;
  /** Creates, updates and deletes that were answered with success. */
  readonly acknowledged: number;
  /** Requests cut by a kill, and lists cut in the middle by a crash of the database. */
  readonly cut: number;
  /** Requests cut that were sent after the service had been told to stop. */
  readonly late: number;
  /** Answers of 503. */
  readonly unavailable: number;
}

/** Counts, and lets others wait for a count. */
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
    for (const look of this.#waiting) look();
  }

  /** Waits until a count has grown by so much. */
  async grown(key: keyof Counts, by: number): Promise<void> {
    const enough = this.counts[key] + by;
    await new Promise<void>((fulfil) => {
      const look = () => {
        if (this.counts[key] < enough) return;
        this.#waiting.delete(look);
        fulfil();
      };
      this.#waiting.add(look);
    });
  }
}
