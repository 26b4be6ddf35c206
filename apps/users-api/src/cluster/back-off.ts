/** The first wait before a process is replaced, in milliseconds. */
const FIRST = 100;

/** The longest wait, in milliseconds. */
const LONGEST = 30_000;

/** How long a process has to live to be one that works, in milliseconds. */
const SETTLED = 30_000;

/** How long to wait before a process that ends again and again is replaced. */
export class BackOff {
  #failures = 0;

  /**
   * Counts an end.
   *
   * @param lived - How long the process has lived, in milliseconds.
   * @returns How long to wait, in milliseconds: 100 at first, twice as long for each end that follows
   *   within 30 seconds of a start, and 30,000 at most.
   */
  next(lived: number): number {
    if (lived >= SETTLED) this.#failures = 0;
    const wait = Math.min(FIRST * 2 ** this.#failures, LONGEST);
    this.#failures += 1;
    return wait;
  }
}
