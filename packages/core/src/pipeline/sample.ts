/** The first requests are observed, then one for each number of skipped requests. */
const FIRST = 100;

const SKIPPED = 4_095;

/**
 * Decides which requests are observed for mistakes, because observing takes time. An application, each of its
 * routes and each prefix of middleware has one.
 */
export class Sample {
  #observed = 0;
  #skips = 0;

  /** Whether to observe the next request. */
  next(): boolean {
    if (this.#skips > 0) {
      this.#skips -= 1;
      return false;
    }
    this.#observed += 1;
    if (this.#observed >= FIRST) this.#skips = SKIPPED;
    return true;
  }

  /** Observes the following requests, so that no error is lost. */
  restart(): void {
    this.#observed = 0;
    this.#skips = 0;
  }
}
