import type { Context, Handler } from '@fairlead/core';
import type { Call } from '../interceptors/intercept.js';
import { isPromiseLike } from '../promise.js';
import type { ReadArguments } from './arguments.js';

/** The stages of a route, in the order in which a request meets them. */
export interface Stages {
  /** Asks the guards; returns when all have allowed. */
  readonly admit: (ctx: Context) => unknown;
  readonly readArguments: ReadArguments;
  /** Sets what is known of the response before the method runs. */
  readonly prepare: (ctx: Context) => void;
  /** Calls the method, through its interceptors. */
  readonly call: Call;
  /** Answers with what the method returned, or what its promise resolved to. */
  readonly respond: (ctx: Context, result: unknown) => void;
}

/**
 * Makes the function that runs one controller method.
 *
 * It returns a promise only when a stage gave one; until then, and after, it runs synchronously.
 *
 * @param stages - The route's stages, made once.
 */
export function createInvoker({ admit, readArguments, prepare, call, respond }: Stages): Handler {
  const invoke = (ctx: Context, values: unknown[]): unknown => {
    prepare(ctx);
    const result = call(ctx, values);
    return isPromiseLike(result)
      ? result.then((settled) => respond(ctx, settled))
      : respond(ctx, result);
  };
  const supply = (ctx: Context): unknown => {
    const values = readArguments(ctx);
    return Array.isArray(values)
      ? invoke(ctx, values)
      : values.then((settled) => invoke(ctx, settled));
  };
  return (ctx) => {
    const admitted = admit(ctx);
    return isPromiseLike(admitted) ? admitted.then(() => supply(ctx)) : supply(ctx);
  };
}
