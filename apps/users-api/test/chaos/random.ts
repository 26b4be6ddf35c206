/** Pseudo-random numbers that a seed repeats (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` up to, and without, `bound`. */
  integer(least: number, bound: number): number {
    return least + Math.floor(this.next() * (bound - least));
  }

  /** One of several values; there must be one. */
  pick<const T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length)] ?? values[0];
  }

  /** True so many times in a hundred. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  /** Another sequence that the seed repeats as well. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32));
  }
}
