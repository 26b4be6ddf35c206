/** The limit before anything is known, and the one that a limit returns to while few requests run. */
const INITIAL = 12;

/** With fewer than two, requests could not overlap. */
const LEAST = 2;

/** Up to this multiple of their usual time, requests do not wait for each other. */
const GOOD = 1.5;

/** Above this multiple of their usual time, requests wait for each other. */
const SLOW = 2;

/** One slow request does not count for more than this multiple of its usual time. */
const SLOWEST = 8;

/** The shortest time that is told apart from none, in milliseconds. */
const SHORTEST = 0.1;

/** Milliseconds more than usual that tell nothing, because the event loop was busy. */
const JITTER = 5;

/** How much one request changes a usual time, and the recent slowness. */
const [LEARNING, SMOOTHING] = [0.05, 0.1];

/** Milliseconds in which a request of an unknown route may finish. */
const UNKNOWN = 50;

/** Milliseconds after which a limit that is not used decreases. */
const PERIOD = 1_000;

/**
 * How many requests may run, by how long they take. A request that takes longer while more of them run waits for the
 * others, for example for a connection of a pool. Then fewer requests finish as many per second.
 *
 * Times are compared with the usual time of their route, so that the limit does not depend on which routes are called.
 * The usual time is the mean while less than half of the limit is used. It is thus not learned from an overload.
 */
export class AdaptiveLimit {
  #value = INITIAL;
  /** The usual milliseconds of each route. */
  readonly #usual = new Map<string, number>();
  /** The recent times, as a multiple of the usual ones. */
  #slowness = 1;
  #changedAt = Number.NEGATIVE_INFINITY;
  #finishedAt = 0;
  #periodEnd = 0;
  /** The most requests that ran in this period. */
  #most = 0;

  /** The number of requests that may run. */
  get value(): number {
    return Math.floor(this.#value);
  }

  /** Whether the last requests took longer than usual, so that no more of them should run. */
  get isReached(): boolean {
    return this.#slowness >= GOOD;
  }

  /**
   * Learns from a request that has finished.
   *
   * @param route - Its pattern.
   * @param start - When it began, in milliseconds.
   * @param now - When it finished.
   * @param running - The number of requests that ran, with this one.
   */
  record(route: string, start: number, now: number, running: number): void {
    const time = Math.max(now - start, SHORTEST);
    const usual = this.#usual.get(route) ?? time;
    const slowness = Math.min(time / usual, SLOWEST);
    const isUsed = running * 2 >= this.#value;
    // The least requests cannot be too many, so this is the time that they take now.
    const isLearned = !isUsed || this.#value <= LEAST || slowness < 1;
    this.#usual.set(route, isLearned ? usual * (1 + (slowness - 1) * LEARNING) : usual);
    this.#finishedAt = now;
    this.#endPeriod(now, running);
    // One that began earlier tells about an earlier limit.
    if (start < this.#changedAt) return;
    const counted = time > usual + JITTER ? slowness : Math.min(slowness, 1);
    this.#slowness += (counted - this.#slowness) * SMOOTHING;
    if (!isUsed) return;
    if (!this.isReached) this.#value += 1 / 2;
    else if (this.#slowness > SLOW) {
      this.shrink(Math.max(1 / 2, GOOD / this.#slowness), now, running);
    }
  }

  /** Multiplies the limit, or what is used of it, by a factor below 1. */
  shrink(factor: number, now: number, running: number): void {
    const used = Math.min(this.#value, Math.max(running, INITIAL));
    this.#value = Math.max(LEAST, used * factor);
    this.#changedAt = now;
    this.#finishedAt = now;
    this.#slowness = GOOD;
  }

  /**
   * Called every few milliseconds while requests wait for one that finishes. Increases the limit when none has finished
   * in a time that the known routes do not explain, because then nothing tells that fewer should run.
   *
   * @param since - Since when requests have been waiting.
   */
  wait(now: number, since: number): void {
    const longest = Math.max(0, ...this.#usual.values());
    const silence = now - Math.max(since, this.#finishedAt);
    if (silence > 2 * longest + UNKNOWN) this.#value *= 1.1;
  }

  #endPeriod(now: number, running: number): void {
    this.#most = Math.max(this.#most, running);
    if (now < this.#periodEnd) return;
    const isUnused = this.#most * 2 < this.#value;
    if (isUnused) this.#value = Math.max(Math.min(INITIAL, this.#value), this.#value * 0.9);
    this.#periodEnd = now + PERIOD;
    this.#most = 0;
  }
}
