import type { Awaitable } from './store/user-store.js';

/**
 * Calls a function with a value, synchronously unless the value is a promise.
 *
 * @param value - The value, or a promise for it.
 * @param next - Receives the value.
 * @returns The result of `next`, or a promise for it.
 */
export function andThen<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
