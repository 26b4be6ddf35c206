import { AdaptiveLimit } from './adaptive-limit.js';
import { type Priority, Queue, type Waiting } from './queue.js';
import type { Turns } from './turns.js';

/** The most requests that wait. */
const LONGEST = 1_000;

/** Milliseconds that requests may wait while some have always been waiting for longer than they may. */
const BRIEF = 25;

/**
 * Milliseconds without a request that waits until an overload has ended, after all that waited were rejected. Clients
 * that wait for a response before their next request, as the connections of a proxy do, send it meanwhile.
 */
const PAUSE = 100;

/**
 * How many requests are rejected at once because they have waited for {@link BRIEF}. Their clients may send the next
 * ones at once, and parsing those must leave time for the requests that run.
 */
const REJECTED_AT_ONCE = 20;

/** Milliseconds between two looks at the requests that wait. */
const TICK = 10;

/** Milliseconds by which a look is late when the event loop is too busy. */
const LAG = 100;

/** Milliseconds between two looks at the memory. */
const MEMORY_INTERVAL = 1_000;

/** The part of the largest heap from which fewer requests run. */
const FULL_HEAP = 0.95;

/** What a gate measures with. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Calls a function after some milliseconds. Does not keep the process running. */
  after(milliseconds: number, callback: () => void): void;
  /** The part of the largest heap that is used. */
  heap(): number;
}

/** A request that runs. */
export interface Running {
  /** Whether neither the response has ended nor the connection has left HTTP. */
  isOpen(): boolean;
}

/** Why a request was rejected: it waited for too long, or too many waited. */
export type Reason = 'late' | 'full';

/** Lets a number of requests run. The others wait for a short time, and are then rejected. */
export class Gate {
  /** The number of rejected requests by reason. */
  readonly rejected: Record<Reason, number> = { late: 0, full: 0 };
  readonly #clock: Clock;
  readonly #turns: Turns | undefined;
  readonly #wait: number;
  readonly #limit: number | AdaptiveLimit;
  readonly #running = new Set<Running>();
  readonly #queue = new Queue();
  /** Since when there have always been requests that wait, or that were rejected less than {@link PAUSE} before. */
  #queuedSince = 0;
  /** When the last of the requests that waited was rejected. */
  #clearedAt = Number.NEGATIVE_INFINITY;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #heapReadAt = Number.NEGATIVE_INFINITY;
  #tickAt: number | undefined = undefined;

  /**
   * @param limit - The number of requests that may run; by default, one that adapts.
   * @param wait - The most milliseconds that a request waits.
   * @param turns - Divides the time of the event loop among requests; undefined if another gate does.
   */
  constructor(limit: number | undefined, wait: number, clock: Clock, turns: Turns | undefined) {
    this.#limit = limit ?? new AdaptiveLimit();
    this.#wait = wait;
    this.#clock = clock;
    this.#turns = turns;
  }

  get limit(): number {
    return typeof this.#limit === 'number' ? this.#limit : this.#limit.value;
  }

  /** The number of requests that run asynchronously. */
  get running(): number {
    this.#sweep();
    return this.#running.size;
  }

  /** The number of requests that wait. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Whether a request may run without waiting. */
  isOpen(): boolean {
    return this.#queue.length === 0 && this.#hasRoom();
  }

  /** Milliseconds on the clock of the gate. */
  now(): number {
    return this.#clock.now();
  }

  /** Counts the time until the function of a request returned. */
  use(start: number): void {
    this.#turns?.use(this.#clock.now() - start);
  }

  /** Counts a request that continues to run. */
  enter(running: Running): void {
    this.#running.add(running);
  }

  /**
   * Ends a request that was counted. Only the first call has an effect.
   *
   * @param route - The pattern of the route, to learn from the time; undefined after an error.
   */
  leave(running: Running, start: number, route: string | undefined): void {
    const count = this.#running.size;
    if (!this.#running.delete(running)) return;
    if (route !== undefined && typeof this.#limit === 'object') {
      this.#limit.record(route, start, this.#clock.now(), count);
    }
    if (this.#queue.length > 0) this.#dispatch();
  }

  /** Lets a request wait. */
  add(waiting: Waiting, priority: Priority): void {
    if (this.#queue.length === 0) {
      if (waiting.since - this.#clearedAt > PAUSE) this.#queuedSince = waiting.since;
      this.#tick();
    }
    this.#queue.add(waiting, priority);
    if (this.#queue.length > LONGEST) this.#reject(this.#queue.drop(), 'full');
    this.#turns?.arrive();
    if (this.#turns?.isUsed) this.#turns.next(this.#dispatch);
  }

  #hasRoom(): boolean {
    if (this.#turns?.isUsed) return false;
    if (this.#running.size < this.limit) return true;
    this.#sweep();
    return this.#running.size < this.limit;
  }

  /** Ends the requests whose response has ended, even if their functions have not. */
  #sweep(): void {
    const now = this.#clock.now();
    if (now - this.#sweptAt < TICK) return;
    this.#sweptAt = now;
    for (const running of this.#running) {
      if (!running.isOpen()) this.#running.delete(running);
    }
  }

  /** Whether there may not be more room soon, because the limit is fixed or reached, or the event loop is busy. */
  #isFull(): boolean {
    const limit = this.#limit;
    return typeof limit === 'number' || limit.isReached || this.#running.size < limit.value;
  }

  /** Whether requests have always been waiting for longer than one may wait, so that more arrive than can run. */
  #isOverloaded(now: number): boolean {
    return this.#isFull() && now - this.#queuedSince >= this.#wait;
  }

  /** Runs the requests that there is room for. */
  readonly #dispatch = (): void => {
    const now = this.#clock.now();
    while (this.#queue.length > 0 && this.#hasRoom()) {
      const isLate = now - (this.#queue.oldest ?? now) > BRIEF;
      // The clients of the newest requests are the most likely to receive their responses in time.
      const waiting = this.#queue.take(isLate || this.#isOverloaded(now));
      if (this.#queue.length === 0) this.#clearedAt = Number.NEGATIVE_INFINITY;
      if (waiting?.isOpen()) waiting.run();
      else waiting?.reject();
    }
    // Only now, because the newest of them run even if all have waited too long, as in a process without CPU time.
    this.#rejectLate(now);
    if (this.#queue.length > 0 && this.#turns?.isUsed) this.#turns.next(this.#dispatch);
  };

  #tick(): void {
    if (this.#tickAt !== undefined) return;
    this.#tickAt = this.#clock.now() + TICK;
    this.#clock.after(TICK, this.#onTick);
  }

  readonly #onTick = (): void => {
    const now = this.#clock.now();
    const lag = now - (this.#tickAt ?? now);
    this.#tickAt = undefined;
    this.#adapt(now, lag);
    if (!this.#turns?.isUsed) this.#dispatch();
    if (this.#queue.length > 0) this.#tick();
  };

  #rejectLate(now: number): void {
    if (!this.#isFull()) return;
    this.#rejectUntil(now, now - this.#wait, Number.POSITIVE_INFINITY);
    if (this.#isOverloaded(now)) this.#rejectUntil(now, now - BRIEF, REJECTED_AT_ONCE);
  }

  #rejectUntil(now: number, time: number, most: number): void {
    for (const waiting of this.#queue.takeUntil(time, most)) {
      if (waiting.isOpen()) {
        this.#reject(waiting, 'late');
        if (this.#queue.length === 0) this.#clearedAt = now;
      } else waiting.reject();
    }
  }

  #adapt(now: number, lag: number): void {
    const limit = this.#limit;
    const running = this.#running.size;
    if (typeof limit === 'number') return;
    if (this.#isHeapFull(now)) limit.shrink(1 / 2, now, running);
    else if (lag > LAG) limit.shrink(3 / 4, now, running);
    else if (running >= limit.value) limit.wait(now, this.#queuedSince);
  }

  #isHeapFull(now: number): boolean {
    if (now - this.#heapReadAt < MEMORY_INTERVAL) return false;
    this.#heapReadAt = now;
    return this.#clock.heap() > FULL_HEAP;
  }

  #reject(waiting: Waiting | undefined, reason: Reason): void {
    this.rejected[reason] += 1;
    waiting?.reject();
  }
}
