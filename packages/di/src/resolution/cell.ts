import { CyclicDependencyError } from '../errors/graph-errors.js';
import { DisposedError } from '../errors/lifecycle-errors.js';
import type { Lifetime } from '../lifetime.js';
import type { Token } from '../token.js';
import { Failure } from './failure.js';
import { Pending } from './pending.js';
import type { InstanceCell, ScopeCells, Supplier } from './supplier.js';

/** Holds one instance, which is built at most once. */
export class Cell implements InstanceCell {
  ready = false;
  value: unknown;
  #building = false;
  #pending: Pending | undefined;

  /** Whether there is no instance and no build is running. */
  get empty(): boolean {
    return !this.ready && !this.#building && this.#pending === undefined;
  }

  fill(value: unknown): void {
    this.value = value;
    this.ready = true;
    this.#pending = undefined;
  }

  /**
   * Returns the instance, or a `Pending` for it. The first call builds it.
   *
   * @param lifetime - Disposes the instance.
   */
  obtain(token: Token, make: Supplier, scope: ScopeCells | undefined, lifetime: Lifetime): unknown {
    if (this.ready) return this.value;
    if (this.#pending !== undefined) return this.#pending;
    if (lifetime.disposed) throw new Failure([token], () => new DisposedError(token), lifetime);
    if (this.#building) {
      throw new Failure(
        [token],
        (path) => new CyclicDependencyError([...path, token], token),
        this,
      );
    }
    this.#building = true;
    try {
      const made = make(scope);
      return made instanceof Pending
        ? this.#wait(token, made, lifetime)
        : this.#keep(token, made, lifetime);
    } finally {
      this.#building = false;
    }
  }

  #keep(token: Token, instance: unknown, lifetime: Lifetime): unknown {
    this.fill(instance);
    lifetime.track(token, instance);
    return instance;
  }

  #wait(token: Token, made: Pending, lifetime: Lifetime): Pending {
    const promise = made.promise.then(
      (instance) => this.#keep(token, instance, lifetime),
      (error) => {
        this.#pending = undefined;
        throw error;
      },
    );
    this.#pending = new Pending(made.path, promise);
    lifetime.await(token, promise);
    return this.#pending;
  }
}
