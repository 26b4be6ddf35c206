import type { Lifetime } from '../lifetime.js';
import type { Token } from '../token.js';

/** Gives an instance, or a `Pending` one; throws a `Failure`. */
export type Supplier = (scope: ScopeCells | undefined) => unknown;

/** Where one instance is kept once it is made. */
export interface Place {
  obtain(token: Token, make: Supplier, scope: ScopeCells | undefined, lifetime: Lifetime): unknown;
}

/** Where the instances of one request are kept. */
export interface ScopeCells {
  readonly lifetime: Lifetime;
  /** The place of a request-scoped binding's instance. */
  cellOf(binding: object): Place;
}
