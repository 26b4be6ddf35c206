import type { Context } from '@fairlead/core';
import { describeToken } from '@fairlead/di';
import { ControllerError } from '../errors/controller-error.js';
import { GuardRejectionError } from '../errors/request-errors.js';
import type { Guard } from '../metadata/references.js';
import { isPromiseLike } from '../promise.js';

/** A guard of a route, ready to be called. */
export interface NamedGuard {
  /** The `guardName` of its rejections. */
  readonly name: string;
  /** Returns the guard's verdict, or a promise of it. */
  readonly check: (ctx: Context) => unknown;
}

/**
 * Names a guard for its rejections.
 *
 * @param guard - A function or class by its name, a token by its text.
 * @param index - Index among the route's guards, for a function without a name.
 */
export function guardName(guard: Guard, index: number): string {
  if (typeof guard === 'function') return guard.name || `guard#${index}`;
  return describeToken(guard);
}

/**
 * Creates the function that calls a route's guards in order until one denies.
 *
 * @param guards - The guards of a route.
 * @param handler - The route's method, such as `UsersController.create`.
 * @returns A function that returns once every guard has allowed the request. It returns a promise
 *   only if a guard does.
 * @throws {GuardRejectionError} 403, from that function, when a guard returns `false`, `null` or
 *   `undefined`.
 * @throws {ControllerError} 500 `INVALID_GUARD`, from that function, when a guard returns any other
 *   value except `true`.
 */
export function createGuardCheck(
  guards: readonly NamedGuard[],
  handler: string,
): (ctx: Context) => void | Promise<void> {
  const checkFrom = (start: number, ctx: Context): void | Promise<void> => {
    let index = start;
    for (let guard = guards[index]; guard !== undefined; guard = guards[index]) {
      const { name, check } = guard;
      const verdict = check(ctx);
      index += 1;
      if (verdict === true) continue;
      if (isPromiseLike(verdict)) {
        // A foreign `then` may return no promise. Then the request would continue unchecked.
        return Promise.resolve(verdict).then((settled) => {
          assertAllowed(settled, name, handler);
          return checkFrom(index, ctx);
        });
      }
      assertAllowed(verdict, name, handler);
    }
  };
  return (ctx) => checkFrom(0, ctx);
}

function assertAllowed(verdict: unknown, name: string, handler: string): void {
  if (verdict === true) return;
  if (verdict === false || verdict === null || verdict === undefined) {
    throw new GuardRejectionError(name);
  }
  // Name only the type, because the message is logged and the value may be a user.
  const type = typeof verdict === 'object' ? verdict.constructor?.name || 'object' : typeof verdict;
  const factory = typeof verdict === 'function' ? ` If ${name} is a factory, call it.` : '';
  throw new ControllerError(
    `The guard ${name} of ${handler} returned a value of type ${type}, so the request was denied. Return true to allow a request, or false to deny it.${factory}`,
    { code: 'INVALID_GUARD' },
  );
}
