import type { Constructor, Container, InjectionError } from '../src/index.js';

/** What resolving a class throws. */
export function resolveError(container: Container, target: Constructor): InjectionError {
  try {
    container.resolve(target);
  } catch (error) {
    return error as InjectionError;
  }
  throw new Error('It was resolved without an error.');
}
