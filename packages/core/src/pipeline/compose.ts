import { type Context, internals } from '../context/context.js';
import { isPromiseLike } from '../context/next.js';
import { NextCalledTwiceError } from '../errors/next-called-twice-error.js';
import type { Middleware } from './middleware.js';

/** A step whose middleware depends on the request, as that of a router does. */
export interface Branch {
  /** The middleware to run in this place; undefined to go on to the next step. */
  choose(ctx: Context): Middleware | undefined;
}

/** One place in a pipeline. */
export type Step = Middleware | Branch;

/**
 * Makes one middleware of several, which run in their order; the last one's `next` goes on to
 * whatever follows the whole.
 *
 * Nothing here makes a promise: a chain of synchronous functions runs and throws synchronously.
 *
 * @param stack - The steps in the order in which a request meets them.
 */
export function compose(stack: readonly Step[]): Middleware {
  return stack.reduceRight<Middleware>(link, (_ctx, after) => after());
}

/** Puts a step before the rest of a pipeline; the step's `next` runs the rest, once. */
function link(rest: Middleware, step: Step, index: number): Middleware {
  return (ctx, after) => {
    const middleware = typeof step === 'function' ? step : step.choose(ctx);
    if (middleware === undefined) return rest(ctx, after);
    let called = false;
    const next = (): void | Promise<void> => {
      if (called) throw new NextCalledTwiceError(middleware.name || `middleware#${index}`);
      called = true;
      const result = rest(ctx, after) as void | Promise<void>;
      if (!isPromiseLike(result)) internals.enterStep(ctx, next);
      return result;
    };
    internals.enterStep(ctx, next);
    return middleware(ctx, next);
  };
}
