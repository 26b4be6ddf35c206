import type { Context } from '@fairlead/core';
import type { Interceptor } from './interceptor.js';

/** Calls a method with its arguments. */
export type Call = (ctx: Context, values: unknown[]) => unknown;

/**
 * Puts interceptors around a call; nothing is added to one that has none.
 *
 * @param interceptors - The outermost first.
 */
export function intercept(call: Call, interceptors: readonly Interceptor[]): Call {
  return interceptors.reduceRight<Call>(
    (inner, interceptor) => (ctx, values) => interceptor(ctx, () => inner(ctx, values)),
    call,
  );
}
