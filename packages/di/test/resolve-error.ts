import type { Constructor, Container, InjectionError } from '../src/index.js';

/** Returns the error that resolving a class throws. */
export function resolveError(container: Container, target: Constructor): InjectionError {
  try {
    container.resolve(target);
  } catch (error) {
    return error as InjectionError;
  }
  throw new Error(`Resolving ${target.name} did not throw.`);
}
