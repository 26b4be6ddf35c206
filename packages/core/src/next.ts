/** Runs the rest of the pipeline. Returns a promise only when something downstream does. */
export type Next = () => void | Promise<void>;

/** Whether a value must be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/**
 * Runs the rest of the pipeline, then a callback: at once after a synchronous `next`, otherwise when
 * its promise settles.
 *
 * @param done - Called when `next` succeeds.
 * @param failed - Called with the error when `next` fails. The error is then rethrown.
 */
export function after(
  next: Next,
  done: () => void,
  failed: (error: unknown) => void = () => undefined,
): void | Promise<void> {
  const fail = (error: unknown): never => {
    failed(error);
    throw error;
  };
  let result: void | Promise<void>;
  try {
    result = next();
  } catch (error) {
    return fail(error);
  }
  if (isPromiseLike(result)) return Promise.resolve(result).then(done, fail);
  done();
}
