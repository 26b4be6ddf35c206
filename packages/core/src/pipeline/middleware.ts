import type { Context } from '../context/context.js';
import type { Next } from '../context/next.js';
import { InvalidMiddlewareError } from '../errors/setup-error.js';

/**
 * One step of the way of a request. What it returns is awaited when it is a promise, and otherwise
 * ignored; it answers through `ctx`.
 */
export type Middleware = (ctx: Context, next: Next) => unknown;

/** The last function of a route. */
export type Handler = Middleware;

/**
 * Checks what a user gives as middleware.
 *
 * @param place - The call that was made, for the message.
 * @throws {InvalidMiddlewareError} For the first that is not a function.
 */
export function assertMiddleware(place: string, candidates: readonly unknown[]): void {
  for (const candidate of candidates) {
    if (typeof candidate !== 'function') throw new InvalidMiddlewareError(place, candidate);
  }
}
