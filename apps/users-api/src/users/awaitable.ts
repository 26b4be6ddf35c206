/** A value, or a promise of it: who has the value at hand makes no promise. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value as soon as it is there: at once, without a promise, when it is no promise.
 *
 * @param value - The value, or a promise of it.
 * @param next - Takes the value.
 * @returns What `next` returned, or a promise of it; rejects when either fails.
 */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
