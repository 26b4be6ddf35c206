/** A pseudo-random number generator (mulberry32). The same seed repeats the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `least` (included) to `bound` (excluded). */
  integer(least: number, bound: number): number {
    return least + Math.floor(this.next() * (bound - least));
  }

  /** Returns one of the values. */
  pick<const T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length)] ?? values[0];
  }

  /** Returns `true` with a probability of `share` percent. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** Returns a generator for another sequence, which the seed also determines. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32));
  }
}
