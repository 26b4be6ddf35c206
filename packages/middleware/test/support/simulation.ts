import type { Clock } from '../../src/overload/gate.js';

/** An event loop whose time passes only when its functions use some, or when nothing is due. */
export class Simulation implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];
  #deferred: (() => void)[] = [];
  /** The part of the largest heap that is used. */
  usedHeap = 0;

  now(): number {
    return this.#now;
  }

  heap(): number {
    return this.usedHeap;
  }

  /** Calls a function once `milliseconds` have passed. */
  after(milliseconds: number, run: () => void): void {
    this.#timers.push({ at: this.#now + milliseconds, run });
  }

  /** Calls a function at the end of this turn. */
  readonly defer = (run: () => void): void => {
    this.#deferred.push(run);
  };

  /** Lets time pass in a function, as a computation does. */
  spend(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** Runs turns until a time in milliseconds. */
  runUntil(end: number): void {
    while (this.#now < end) {
      const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
      this.#timers = this.#timers.filter(({ at }) => at > this.#now);
      for (const { run } of due) run();
      const deferred = this.#deferred;
      this.#deferred = [];
      for (const run of deferred) run();
      const isIdle = due.length + deferred.length === 0;
      if (isIdle) this.#now = Math.min(end, ...this.#timers.map(({ at }) => at));
    }
  }
}
