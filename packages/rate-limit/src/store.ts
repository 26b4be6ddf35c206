/** The count of a key. */
export interface RateLimitCount {
  /** The points that were counted in the window. */
  readonly points: number;
  /** The time until the window ends, in milliseconds. */
  readonly msBeforeNext: number;
}

/** Holds the counts of limits, such as where several processes can reach them. */
export interface RateLimitStore {
  /**
   * Adds points to a key in one atomic step. Without a window, it starts one.
   *
   * @param key - The name of a limit, a colon and a client: visible ASCII and spaces. Colons and percent signs
   *   of the name are percent-encoded.
   * @param points - An integer. If it is negative and the key has no window, nothing happens.
   * @param duration - The length of a new window, in seconds.
   * @returns The count including the points. Rejects with an error when the store fails.
   */
  add(key: string, points: number, duration: number): Promise<RateLimitCount>;
}

/** Where a store has the object that all stores with the same counts share. Without it, the store is this object. */
export const COUNTS: unique symbol = Symbol.for('@fairlead/rate-limit:counts');

/** How many ended windows a request removes at most, so that no request pays for all of them. */
const MAX_REMOVED = 10;

/** Counts for one limit in memory. Each request removes some of the windows that have ended. */
export class MemoryStore implements RateLimitStore {
  /** All windows have the same length, so the first one ends first. */
  readonly #windows = new Map<string, { points: number; readonly end: number }>();

  async add(key: string, points: number, duration: number): Promise<RateLimitCount> {
    const now = Date.now();
    this.#removeEnded(now);
    let window = this.#windows.get(key);
    if (window === undefined || window.end <= now) {
      if (points < 0) return { points: 0, msBeforeNext: 0 };
      window = { points: 0, end: now + duration * 1_000 };
      this.#windows.delete(key);
      this.#windows.set(key, window);
    }
    window.points += points;
    return { points: window.points, msBeforeNext: window.end - now };
  }

  #removeEnded(now: number): void {
    let removed = 0;
    for (const [key, { end }] of this.#windows) {
      if (end > now || removed === MAX_REMOVED) return;
      this.#windows.delete(key);
      removed += 1;
    }
  }
}
