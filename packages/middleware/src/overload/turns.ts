/** Milliseconds of one turn of the event loop that functions may use before the requests after them wait. */
const SLICE = 5;

/** The number of turns without a request after which no more are expected: one accepts a connection, the next reads. */
const QUIET = 2;

/** The most turns until requests run again. */
const MOST = 50;

/**
 * The time that requests have used in this turn of the event loop. Node.js reads what all connections have received in
 * one turn, but accepts only one connection. If each request ran at once, a probe that arrives meanwhile would wait for
 * all of them, and new connections for as many turns as there are connections before them.
 */
export class Turns {
  readonly #defer: (callback: () => void) => void;
  #used = 0;
  #isEnding = false;
  #hasArrived = false;
  /** The turns since the slice was used, and the last of them without a request. */
  #passed = 0;
  #quiet = 0;
  #next: (() => void) | undefined = undefined;

  /** @param defer - Calls a function once the event loop has read what was received. */
  constructor(defer: (callback: () => void) => void) {
    this.#defer = defer;
  }

  /** Whether requests have to wait for a later turn. */
  get isUsed(): boolean {
    return this.#used >= SLICE;
  }

  /** Adds the milliseconds that a function took. */
  use(milliseconds: number): void {
    this.#used += milliseconds;
    // Before the slice is used, so that functions of different turns rarely add up.
    if (this.#used >= SLICE / 2) this.#end();
  }

  /** Calls a function once the requests that have been sent so far have arrived. */
  next(callback: () => void): void {
    this.#next = callback;
    this.#end();
  }

  /** Called for a request that waits. */
  arrive(): void {
    this.#hasArrived = true;
  }

  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#passed = 0;
    this.#quiet = 0;
    this.#defer(this.#pass);
  }

  readonly #pass = (): void => {
    this.#passed += 1;
    this.#quiet = this.#hasArrived ? 0 : this.#quiet + 1;
    this.#hasArrived = false;
    const next = this.#next;
    if (next !== undefined && this.#quiet < QUIET && this.#passed < MOST) {
      this.#defer(this.#pass);
      return;
    }
    this.#isEnding = false;
    this.#used = 0;
    this.#next = undefined;
    next?.();
  };
}
