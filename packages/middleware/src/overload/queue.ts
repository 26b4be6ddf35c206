/** How important a request is. When requests have to wait, all of a higher priority run before those of a lower one. */
export type Priority = 'high' | 'normal' | 'low';

/** From the most to the least important. */
export const PRIORITIES: readonly Priority[] = ['high', 'normal', 'low'];

/** A request that waits. */
export interface Waiting {
  /** When it began to wait, in milliseconds. */
  readonly since: number;
  /** Whether its client still waits for it. */
  isOpen(): boolean;
  run(): void;
  reject(): void;
}

/** Requests that wait, by priority, and each in the order in which they arrived. */
export class Queue {
  readonly #lanes: readonly Waiting[][] = PRIORITIES.map(() => []);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(waiting: Waiting, priority: Priority): void {
    this.#lanes[PRIORITIES.indexOf(priority)]?.push(waiting);
    this.#length += 1;
  }

  /**
   * Removes the most important request.
   *
   * @param isNewest - Whether to take the newest of several, or the oldest.
   */
  take(isNewest: boolean): Waiting | undefined {
    return this.#remove(this.#lanes.find(hasAny), isNewest);
  }

  /** Removes the oldest of the least important requests. */
  drop(): Waiting | undefined {
    return this.#remove(this.#lanes.findLast(hasAny), false);
  }

  /**
   * Removes the requests that began to wait at a time or before it, the least important ones first.
   *
   * @param most - The largest number of them.
   */
  takeUntil(time: number, most: number): readonly Waiting[] {
    const taken: Waiting[] = [];
    for (const lane of this.#lanes.toReversed()) {
      const index = lane.findIndex(({ since }) => since > time);
      const count = Math.min(index === -1 ? lane.length : index, most - taken.length);
      taken.push(...lane.splice(0, count));
    }
    this.#length -= taken.length;
    return taken;
  }

  /** When the oldest request began to wait; undefined if none waits. */
  get oldest(): number | undefined {
    const times = this.#lanes.filter(hasAny).map(([first]) => first?.since ?? 0);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #remove(lane: Waiting[] | undefined, isNewest: boolean): Waiting | undefined {
    if (lane === undefined) return undefined;
    this.#length -= 1;
    return isNewest ? lane.pop() : lane.shift();
  }
}

function hasAny(lane: readonly Waiting[]): boolean {
  return lane.length > 0;
}
