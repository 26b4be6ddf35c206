import { isPromiseLike } from '@fairlead/core/extend';

/** Calls `next` with a value, or after a promise has settled. Creates no promise for a plain value. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next) : next(value);
}

/** Wraps a function so that `fail` receives what it throws, or what its promise rejects with. */
export function catching<Values extends unknown[]>(
  run: (...values: Values) => unknown,
  fail: (error: unknown) => never,
): (...values: Values) => unknown {
  return (...values) => {
    let result: unknown;
    try {
      result = run(...values);
    } catch (error) {
      return fail(error);
    }
    return isPromiseLike(result) ? result.then(undefined, fail) : result;
  };
}
