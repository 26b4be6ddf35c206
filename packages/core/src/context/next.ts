/** Runs what comes after the middleware that calls it. Returns a promise only when something below does. */
export type Next = () => void | Promise<void>;

/** Whether a value has to be awaited. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** What `ctx.next()` is before a middleware has been entered. */
export function outsideOfPipeline(): never {
  throw new TypeError('ctx.next() was called outside of a middleware.');
}
