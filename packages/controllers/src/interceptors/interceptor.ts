import type { Context } from '@fairlead/core';

/**
 * Stands around a method: what it returns, or the promise that it returns resolves to, is answered
 * in place of what the method returned.
 *
 * @param ctx - The request; guards have allowed it, and its parameters are read.
 * @param next - Runs what is within: further interceptors, then the method. It returns the method's
 *   result, a promise of it when the method is asynchronous, and throws what the method throws.
 *   Calling it again runs the method again; not to call it leaves the method out.
 */
export type Interceptor = (ctx: Context, next: () => unknown) => unknown;
