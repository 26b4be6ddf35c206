import type { Context, Handler } from '@fairlead/core';
import type { Interceptor } from '../metadata/references.js';
import { isPromiseLike } from '../promise.js';
import type { ReadArguments } from './arguments.js';

/** Calls a controller's method with its arguments. */
export type CallMethod = (ctx: Context, values: unknown[]) => unknown;

/** The stages of a route, in the order in which they run. */
export interface Stages {
  /** Calls the guards; returns, or resolves, after all have allowed. */
  readonly checkGuards: (ctx: Context) => unknown;
  readonly readArguments: ReadArguments;
  /** Sets the status and headers that are known before the method runs. */
  readonly prepareResponse: (ctx: Context) => void;
  /** Calls the method through its interceptors. */
  readonly callMethod: CallMethod;
  /** Records the response for the method's settled result. */
  readonly recordResponse: (ctx: Context, result: unknown) => void;
}

/**
 * Creates the function that runs one controller method. It is synchronous until a stage returns a
 * promise.
 */
export function createInvoker({
  checkGuards,
  readArguments,
  prepareResponse,
  callMethod,
  recordResponse,
}: Stages): Handler {
  const callWith = (ctx: Context, values: unknown[]): unknown => {
    prepareResponse(ctx);
    const result = callMethod(ctx, values);
    return isPromiseLike(result)
      ? result.then((settled) => recordResponse(ctx, settled))
      : recordResponse(ctx, result);
  };
  const callAllowed = (ctx: Context): unknown => {
    const values = readArguments(ctx);
    return Array.isArray(values)
      ? callWith(ctx, values)
      : values.then((settled) => callWith(ctx, settled));
  };
  return (ctx) => {
    const allowed = checkGuards(ctx);
    return isPromiseLike(allowed) ? allowed.then(() => callAllowed(ctx)) : callAllowed(ctx);
  };
}

/**
 * Wraps a call in interceptors.
 *
 * @param interceptors - The outermost first.
 * @returns The call itself if there are none.
 */
export function intercept(call: CallMethod, interceptors: readonly Interceptor[]): CallMethod {
  return interceptors.reduceRight<CallMethod>(
    (inner, interceptor) => (ctx, values) => interceptor(ctx, () => inner(ctx, values)),
    call,
  );
}
