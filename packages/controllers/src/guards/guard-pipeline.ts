import type { Context } from '@fairlead/core';
import { describeToken } from '@fairlead/di';
import { ControllerError } from '../errors/controller-error.js';
import { GuardRejectionError } from '../errors/guard-rejection-error.js';
import { isPromiseLike } from '../promise.js';
import type { Guard } from './guard.js';

/** One guard of a route, ready to be asked. */
export interface GuardCheck {
  /** Carried by the rejection as `guardName`. */
  readonly name: string;
  /** What the guard returns; a promise of it when the guard is asynchronous. */
  readonly ask: (ctx: Context) => unknown;
}

/**
 * Names a guard for its rejections.
 *
 * @param guard - A function or class has its own name; a token has its text.
 * @param index - Place among the route's guards, for a function without a name.
 */
export function guardName(guard: Guard, index: number): string {
  if (typeof guard === 'function') return guard.name || `guard#${index}`;
  return describeToken(guard);
}

/**
 * Makes one check of several, which are asked in their order until one denies.
 *
 * @param checks - The guards of a route.
 * @param handler - The route's method for people: `UsersController.create`.
 * @returns A function that returns when every guard has allowed: a promise only when a guard returned one.
 * @throws {GuardRejectionError} 403, from that function, when a guard returns `false`, `null` or `undefined`.
 * @throws {ControllerError} 500 `INVALID_GUARD`, from that function, when a guard returns anything else
 *   but `true`.
 */
export function createGuardPipeline(
  checks: readonly GuardCheck[],
  handler: string,
): (ctx: Context) => void | Promise<void> {
  /** Asks what is left to ask: from the start, or again after a promise has settled. */
  const askFrom = (start: number, ctx: Context): void | Promise<void> => {
    let index = start;
    for (let check = checks[index]; check !== undefined; check = checks[index]) {
      const { name, ask } = check;
      const verdict = ask(ctx);
      index += 1;
      if (verdict === true) continue;
      if (isPromiseLike(verdict)) {
        // Another library's `then` need not return a promise, and without one the request would go on.
        return Promise.resolve(verdict).then((settled) => {
          assertAllowed(settled, name, handler);
          return askFrom(index, ctx);
        });
      }
      assertAllowed(verdict, name, handler);
    }
  };
  return (ctx) => askFrom(0, ctx);
}

function assertAllowed(verdict: unknown, name: string, handler: string): void {
  if (verdict === true) return;
  if (verdict === false || verdict === null || verdict === undefined) {
    throw new GuardRejectionError(name);
  }
  // Its type and not the value, which may be a user.
  const type = typeof verdict === 'object' ? verdict.constructor?.name || 'object' : typeof verdict;
  const called = typeof verdict === 'function' ? ` If ${name} is a factory, call it.` : '';
  throw new ControllerError(
    `The guard ${name} of ${handler} returned a value of type ${type}, so the request was denied. Return true to allow a request, or false to deny it.${called}`,
    { code: 'INVALID_GUARD' },
  );
}
