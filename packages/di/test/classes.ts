import type { Dependency } from '../src/index.js';

/** Keeps its constructor arguments. */
class Recorder {
  readonly dependencies: readonly unknown[];

  constructor(...dependencies: unknown[]) {
    this.dependencies = dependencies;
  }
}

/**
 * Creates a class with a name and a `static inject`, which a test can change to close a cycle.
 *
 * @param inject - Entries of any kind, including invalid ones.
 */
export function classNeeding(name: string, ...inject: unknown[]) {
  const named = { [name]: class extends Recorder {} }[name] ?? Recorder;
  return Object.assign(named, { inject: inject as Dependency[] });
}
