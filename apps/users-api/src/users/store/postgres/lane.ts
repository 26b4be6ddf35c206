import { NO_CONNECTION_FREE } from './postgres-problem.js';

/** What several lanes share. */
export interface SharedLanes {
  /** How many more statements may use connections. */
  free: number;
  /** The lanes. Waiting statements of the first one go first. */
  readonly lanes: Lane[];
}

/** Limits how many statements of one kind use connections at the same time. The others wait for their turn. */
export class Lane {
  readonly #shared: SharedLanes;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /**
   * @param size - Maximum number of statements of this kind at the same time.
   * @param shared - Limits the statements of all its lanes together. Receives this one.
   */
  constructor(size: number, shared: SharedLanes) {
    this.#free = size;
    this.#shared = shared;
    shared.lanes.push(this);
  }

  /** Number of statements that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves once it is the caller's turn, which ends with {@link leave}.
   *
   * @param timeout - Maximum time to wait, in milliseconds.
   * @throws {Error} When the time has passed. The caller must not leave.
   */
  async enter(timeout: number): Promise<void> {
    if (this.#take()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      reject(new Error(NO_CONNECTION_FREE));
    }, timeout);
    await promise.finally(() => clearTimeout(timer));
  }

  leave(): void {
    this.#free += 1;
    this.#shared.free += 1;
    // One is enough: any other that waits could not enter before, either.
    for (const lane of this.#shared.lanes) if (lane.#admit()) return;
  }

  #admit(): boolean {
    const [next] = this.#waiting;
    if (next === undefined || !this.#take()) return false;
    this.#waiting.delete(next);
    next();
    return true;
  }

  #take(): boolean {
    if (this.#free === 0 || this.#shared.free === 0) return false;
    this.#free -= 1;
    this.#shared.free -= 1;
    return true;
  }
}
