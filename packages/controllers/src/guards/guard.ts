import type { Context } from '@fairlead/core';
import type { Constructor, InjectionToken } from '@fairlead/di';

/** What a guard sees of a request: the whole context. */
export type GuardContext = Context;

/** A guard written as a function: allows when it returns `true`, denies when it returns `false`. */
export type GuardFn = (ctx: GuardContext) => boolean | Promise<boolean>;

/** A guard written as a class, which the container builds. */
export interface CanActivate {
  /** Allows when it returns `true`, denies when it returns `false`. */
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
