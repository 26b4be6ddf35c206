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
 * @returns A function that returns when all have allowed: a promise only when one of them gave one.
 * @throws {GuardRejectionError} 403, from that function, for the first that did not allow.
 * @throws {ControllerError} 500 `INVALID_GUARD`, from that function, for one that answers with a function.
 */
export function createGuardPipeline(
  checks: readonly GuardCheck[],
): (ctx: Context) => void | PromiseLike<void> {
  return (ctx) => askFrom(checks, 0, ctx);
}

/** Asks what is left to ask: from the start, or again after a promise has settled. */
function askFrom(
  checks: readonly GuardCheck[],
  start: number,
  ctx: Context,
): void | PromiseLike<void> {
  let index = start;
  for (let check = checks[index]; check !== undefined; check = checks[index]) {
    const { name, ask } = check;
    const verdict = ask(ctx);
    index += 1;
    if (verdict === true) continue;
    if (isPromiseLike(verdict)) {
      return verdict.then((settled) => {
        assertAllowed(name, settled);
        return askFrom(checks, index, ctx);
      });
    }
    assertAllowed(name, verdict);
  }
}

function assertAllowed(name: string, verdict: unknown): void {
  if (typeof verdict === 'function') {
    throw new ControllerError(
      `The guard ${name} returned a function, which is no answer. Was a factory not called? Call it in @UseGuard(), or answer with true or false.`,
      { code: 'INVALID_GUARD' },
    );
  }
  if (!verdict) throw new GuardRejectionError(name);
}
