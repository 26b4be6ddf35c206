import type { Lifetime } from '../lifetime.js';
import type { Token } from '../token.js';

/** Returns an instance, or a `Pending` for one. Throws a `Failure` when it cannot be built. */
export type Supplier = (scope: ScopeCells | undefined) => unknown;

/** Holds one instance and builds it on first use. */
export interface InstanceCell {
  obtain(token: Token, make: Supplier, scope: ScopeCells | undefined, lifetime: Lifetime): unknown;
}

/** Holds the instances of one request. */
export interface ScopeCells {
  readonly lifetime: Lifetime;
  /** Returns the cell of a request-scoped binding's instance. */
  cellOf(binding: object): InstanceCell;
}
