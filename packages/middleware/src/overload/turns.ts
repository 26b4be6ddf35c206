/** Milliseconds of one turn of the event loop that functions may use before the requests after them wait. */
const SLICE = 5;

/**
 * The time that requests have used in this turn of the event loop. Node.js reads what all connections have received in
 * one turn. If each request ran at once, a probe that arrives meanwhile would wait for all of them.
 */
export class Turns {
  readonly #defer: (callback: () => void) => void;
  #used = 0;
  #isEnding = false;
  #next: (() => void) | undefined = undefined;

  /** @param defer - Calls a function once the event loop has read what was received. */
  constructor(defer: (callback: () => void) => void) {
    this.#defer = defer;
  }

  /** Whether requests have to wait for the next turn. */
  get isUsed(): boolean {
    return this.#used >= SLICE;
  }

  /** Adds the milliseconds that a function took. */
  use(milliseconds: number): void {
    this.#used += milliseconds;
    // Before the slice is used, so that functions of different turns rarely add up.
    if (this.#used >= SLICE / 2) this.#end();
  }

  /** Calls a function in the next turn. */
  next(callback: () => void): void {
    this.#next = callback;
    this.#end();
  }

  #end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#defer(() => {
      this.#isEnding = false;
      this.#used = 0;
      const next = this.#next;
      this.#next = undefined;
      next?.();
    });
  }
}
