import {
  ConstructionError,
  CyclicDependencyError,
  DisposedError,
  type InjectionError,
  type Problem,
} from './errors/injection-errors.js';
import type { Lifetime } from './lifetime.js';
import type { Scope } from './provider.js';
import type { Token } from './token.js';

/** Returns an instance, or a `Pending` for one. Throws a `Failure` when it cannot be built. */
export type Supplier = (scope: ScopeCells | undefined) => unknown;

/** Holds the instances of one request. */
export interface ScopeCells {
  readonly lifetime: Lifetime;
  /** Returns the cell of a request-scoped binding's instance. */
  cellOf(binding: object): Cell;
}

/** Something that is built. */
export interface Origin {
  readonly token: Token;
  /** Where it is declared, such as `src/users.ts:12:1`; undefined if unknown. */
  readonly location: string | undefined;
}

/**
 * Thrown while instances are being built. Each level prepends its token to the path, and the
 * outermost one converts the failure into an {@link InjectionError}.
 */
export class Failure {
  /** @param origin - What failed. Failures with the same origin have the same cause. */
  constructor(
    readonly path: readonly Token[],
    readonly problem: Problem,
    readonly origin: object,
  ) {}

  /**
   * Prepends the token being built to the path of a failure, or wraps the error that its constructor
   * or factory threw.
   */
  static prepend(origin: Origin, error: unknown): Failure {
    const { token } = origin;
    return error instanceof Failure
      ? new Failure([token, ...error.path], error.problem, error.origin)
      : new Failure([token], (path) => new ConstructionError(path, error, origin.location), origin);
  }
}

/** Converts a failure into the error that callers of the container receive. */
export function toPublicError(error: unknown): unknown {
  return error instanceof Failure ? error.problem(error.path) : error;
}

/** An asynchronous provider. */
export interface Source {
  readonly scope: Scope;
  /** Where it is registered, such as `src/users.ts:12:1`; undefined if unknown. */
  readonly location: string | undefined;
}

/** Represents an instance whose asynchronous factory has not settled yet. */
export class Pending {
  /**
   * @param path - From the waiting token to the asynchronous provider.
   * @param promise - Resolves to the instance.
   * @param source - The asynchronous provider.
   */
  constructor(
    readonly path: readonly Token[],
    readonly promise: Promise<unknown>,
    readonly source: Source,
  ) {
    // Consumers handle the rejection. It must not count as unhandled when there are none.
    promise.catch(() => {});
  }

  /** Prepends the token of a waiting binding to the path, and to the path of a later failure. */
  prepend(origin: Origin): Pending {
    const promise = this.promise.catch((error) => {
      throw Failure.prepend(origin, error);
    });
    return new Pending([origin.token, ...this.path], promise, this.source);
  }
}

/**
 * Waits for every pending value in a list. Returns other values as they are, including instances
 * with a `then` method.
 */
async function settleAll(values: readonly unknown[]): Promise<unknown[]> {
  const result = [...values];
  await Promise.all(
    values.map(async (value, index) => {
      if (value instanceof Pending) result[index] = await value.promise;
    }),
  );
  return result;
}

/**
 * Calls the suppliers and combines their values, waiting for pending ones first.
 *
 * @param combine - May return a {@link Pending}.
 * @returns The combined value, or a {@link Pending} for it.
 */
export function gather(
  suppliers: readonly Supplier[],
  scope: ScopeCells | undefined,
  combine: (values: readonly unknown[]) => unknown,
): unknown {
  // Allocated with its final size, because growing an array with push() over-allocates.
  const values = new Array<unknown>(suppliers.length);
  let waiting: Pending | undefined;
  let index = 0;
  for (const supplier of suppliers) {
    const value = supplier(scope);
    if (value instanceof Pending) waiting ??= value;
    values[index] = value;
    index += 1;
  }
  if (waiting === undefined) return combine(values);
  const combined = settleAll(values).then((settled) => {
    const made = combine(settled);
    return made instanceof Pending ? made.promise : made;
  });
  return new Pending(waiting.path, combined, waiting.source);
}

/** Holds one instance, which is built at most once. */
export class Cell {
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

  /** Returns the instance, or a `Pending` for it. The first call builds it. */
  obtain(token: Token, make: Supplier, scope: ScopeCells | undefined, lifetime: Lifetime): unknown {
    if (this.ready) return this.value;
    if (this.#pending !== undefined) return this.#pending;
    if (lifetime.disposed) throw new Failure([token], () => new DisposedError(token), lifetime);
    if (this.#building) {
      const cycle: Problem = (path) => new CyclicDependencyError([...path, token], token);
      throw new Failure([token], cycle, this);
    }
    this.#building = true;
    try {
      const made = make(scope);
      if (!(made instanceof Pending)) return this.#keep(token, made, lifetime);
      const promise = made.promise.then(
        (instance) => this.#keep(token, instance, lifetime),
        (error) => {
          this.#pending = undefined;
          throw error;
        },
      );
      this.#pending = new Pending(made.path, promise, made.source);
      lifetime.await(token, promise);
      return this.#pending;
    } finally {
      this.#building = false;
    }
  }

  #keep(token: Token, instance: unknown, lifetime: Lifetime): unknown {
    this.fill(instance);
    lifetime.track(token, instance);
    return instance;
  }
}
