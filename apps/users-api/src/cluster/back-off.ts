/** Shortest wait before replacing a process, in milliseconds. */
const FIRST = 100;

/** Longest wait, in milliseconds. */
const LONGEST = 30_000;

/** Uptime after which a process counts as healthy, in milliseconds. */
const SETTLED = 30_000;

/** Computes how long to wait before replacing a process that keeps exiting. */
export class BackOff {
  #failures = 0;

  /**
   * Records an exit.
   *
   * @param lived - Uptime of the process, in milliseconds.
   * @returns The wait in milliseconds. It starts at 100, doubles with each exit within 30 seconds of
   *   a start, and is at most 30,000.
   */
  next(lived: number): number {
    if (lived >= SETTLED) this.#failures = 0;
    const wait = Math.min(FIRST * 2 ** this.#failures, LONGEST);
    this.#failures += 1;
    return wait;
  }
}
