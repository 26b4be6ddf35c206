import type { Context } from '@fairlead/core';
import type { Constructor, InjectionToken } from '@fairlead/di';

/** What a guard sees of a request: the whole context. */
export type GuardContext = Context;

/**
 * A guard written as a function: `true` allows the request, `false` denies it with 403. So do `null`
 * and `undefined`. Anything else is a mistake in the guard, and denies with a logged 500.
 */
export type GuardFn = (ctx: GuardContext) => boolean | Promise<boolean>;

/** A guard written as a class, which the container builds. */
export interface CanActivate {
  /** Allows or denies a request, as a {@link GuardFn} does. */
  canActivate(ctx: GuardContext): boolean | Promise<boolean>;
}

/** What `@UseGuard()` takes: a function, a class, or a container token of either. */
export type Guard =
  | GuardFn
  | Constructor<CanActivate>
  | InjectionToken<CanActivate | GuardFn>
  | string
  | symbol;

/** Tells a guard class from a guard function: its prototype has `canActivate`. */
export function isGuardClass(guard: unknown): guard is Constructor<CanActivate> {
  if (typeof guard !== 'function') return false;
  const prototype: unknown = guard.prototype;
  return typeof prototype === 'object' && prototype !== null && isCanActivate(prototype);
}

/** Tells an object with `canActivate` from anything else. */
export function isCanActivate(value: object): value is CanActivate {
  return 'canActivate' in value && typeof value.canActivate === 'function';
}
