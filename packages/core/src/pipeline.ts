import { type Context, internals } from './context.js';
import { NextCalledTwiceError } from './errors/http-error.js';
import { InvalidMiddlewareError } from './errors/setup-error.js';
import { isPromiseLike, type Next } from './next.js';

/**
 * Handles a request, or passes it on with `next()`. Write the response through `ctx`: the pipeline
 * awaits a returned promise and ignores any other return value.
 */
export type Middleware = (ctx: Context, next: Next) => unknown;

/** The last function of a route. */
export type Handler = Middleware;

/**
 * Checks that every candidate is a function.
 *
 * @param call - The call that received them, for the message.
 * @throws {InvalidMiddlewareError} For the first candidate that is not a function.
 */
export function assertMiddleware(call: string, candidates: readonly unknown[]): void {
  for (const candidate of candidates) {
    if (typeof candidate !== 'function') throw new InvalidMiddlewareError(call, candidate);
  }
}

/** A step that chooses its middleware for each request, such as a mounted router. */
export interface Branch {
  /** Returns the middleware to run, or undefined to skip the step. */
  choose(ctx: Context): Middleware | undefined;
}

/** One step of a pipeline. */
export type Step = Middleware | Branch;

/**
 * Composes steps into one middleware. The last step's `next` runs the `next` of that middleware.
 *
 * Creates no promises: a chain of synchronous functions runs and throws synchronously.
 */
export function compose(steps: readonly Step[]): Middleware {
  return steps.reduceRight<Middleware>(link, (_ctx, outerNext) => outerNext());
}

/** Puts a step before the rest of a pipeline. The step may call its `next`, which runs the rest, once. */
function link(rest: Middleware, step: Step, index: number): Middleware {
  return (ctx, outerNext) => {
    const middleware = typeof step === 'function' ? step : step.choose(ctx);
    if (middleware === undefined) return rest(ctx, outerNext);
    let called = false;
    const next = (): void | Promise<void> => {
      if (called) throw new NextCalledTwiceError(middleware.name || `middleware#${index}`);
      called = true;
      const result = rest(ctx, outerNext) as void | Promise<void>;
      if (!isPromiseLike(result)) internals.enterStep(ctx, next);
      return result;
    };
    internals.enterStep(ctx, next);
    return middleware(ctx, next);
  };
}
