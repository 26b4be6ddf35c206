import { NO_CONNECTION_FREE } from './postgres-problem.js';

/** Limits how many statements of a kind use connections at the same time. The others wait for their turn. */
export class Lane {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param size - Maximum number of statements at the same time. */
  constructor(size: number) {
    this.#free = size;
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
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      reject(new Error(NO_CONNECTION_FREE));
    }, timeout);
    await promise.finally(() => clearTimeout(timer));
  }

  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next();
    }
  }
}
