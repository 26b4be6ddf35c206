import type { Context, Middleware } from '@fairlead/core';
import type { Constructor, InjectionToken } from '@fairlead/di';

/** The context of the request that a guard checks. */
export type GuardContext = Context;

/**
 * A guard as a function. `true` allows the request. `false`, `null` and `undefined` deny it with 403.
 * Any other value denies it with a logged 500.
 */
export type GuardFn = (ctx: GuardContext) => boolean | Promise<boolean>;

/** A guard as a class, which the container builds. */
export interface CanActivate {
  /** Allows or denies a request, like a {@link GuardFn}. */
  canActivate(ctx: GuardContext): boolean | Promise<boolean>;
}

/** An argument of `@UseGuard()`: a function, a class, or a container token for either. */
export type Guard =
  | GuardFn
  | Constructor<CanActivate>
  | InjectionToken<CanActivate | GuardFn>
  | string
  | symbol;

/**
 * Wraps a method. Its return value, or the value its promise resolves to, becomes the result.
 *
 * @param ctx - The request, after its guards have allowed it and its parameters were read.
 * @param next - Runs the inner interceptors and the method. Returns the method's result, or a promise
 *   of it if the method is asynchronous, and throws what the method throws. Each call runs the method
 *   again. Without a call, the method does not run.
 */
export type Interceptor = (ctx: Context, next: () => unknown) => unknown;

/** An argument of `@UseMiddleware()`: a function, or a container token for one. */
export type MiddlewareReference = Middleware | InjectionToken<Middleware> | string | symbol;

/** An argument of `@UseInterceptor()`: a function, or a container token for one. */
export type InterceptorReference = Interceptor | InjectionToken<Interceptor> | string | symbol;

/** Whether a guard is a class: its prototype has `canActivate`. */
export function isGuardClass(guard: unknown): guard is Constructor<CanActivate> {
  if (typeof guard !== 'function') return false;
  const prototype: unknown = guard.prototype;
  return typeof prototype === 'object' && prototype !== null && isCanActivate(prototype);
}

/** Whether an object has `canActivate()`. */
export function isCanActivate(value: object): value is CanActivate {
  return 'canActivate' in value && typeof value.canActivate === 'function';
}
