import type { Dependency } from '../src/index.js';

/** A class of a given name that keeps what it is given. */
class Keeping {
  readonly given: readonly unknown[];

  constructor(...given: unknown[]) {
    this.given = given;
  }
}

/**
 * Makes a class with a `static inject`, which a test may still change to close a cycle.
 *
 * @param inject - Entries of any kind, wrong ones included.
 */
export function classNeeding(name: string, ...inject: unknown[]) {
  const named = { [name]: class extends Keeping {} }[name] ?? Keeping;
  return Object.assign(named, { inject: inject as Dependency[] });
}
