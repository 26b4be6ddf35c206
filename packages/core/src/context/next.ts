/** Runs what comes after the middleware that calls it. Returns a promise only when something below does. */
export type Next = () => void | Promise<void>;

/** Whether a value has to be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Runs a step, and something else once it has settled.
 *
 * @param done - Called when the step has returned, thrown, been fulfilled or rejected.
 */
export function settle(step: Next, done: () => void): void | Promise<void> {
  let result: void | Promise<void>;
  try {
    result = step();
  } catch (error) {
    done();
    throw error;
  }
  if (isPromiseLike(result)) return Promise.resolve(result).finally(done);
  done();
}

/** What `ctx.next()` is before a middleware has been entered. */
export function outsideOfPipeline(): never {
  throw new TypeError('ctx.next() was called outside of a middleware.');
}
