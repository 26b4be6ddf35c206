/** Whether a value has to be awaited. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  // Texts, numbers and booleans, which most values are, are not asked.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/** Goes on with a value: at once, or when it is a promise, after it. Makes no promise of its own. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R): R | PromiseLike<R> {
  return isPromiseLike(value) ? value.then(next) : next(value);
}

/** Wraps a function so that what it throws, or what its promise rejects with, goes to `fail`. */
export function catching<A>(
  run: (argument: A) => unknown,
  fail: (error: unknown) => never,
): (argument: A) => unknown {
  return (argument) => {
    let result: unknown;
    try {
      result = run(argument);
    } catch (error) {
      return fail(error);
    }
    return isPromiseLike(result) ? result.then(undefined, fail) : result;
  };
}
