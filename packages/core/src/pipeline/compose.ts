import { type Context, internals } from '../context/context.js';
import { isPromiseLike, type Next } from '../context/next.js';
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
  return stack.reduceRight<Middleware>(
    (rest, step, index) =>
      typeof step === 'function'
        ? (ctx, after) => enter(step, index, rest, ctx, after)
        : (ctx, after) => {
            const middleware = step.choose(ctx);
            if (middleware === undefined) return rest(ctx, after);
            return enter(middleware, index, rest, ctx, after);
          },
    (_, after) => after(),
  );
}

/** Runs one middleware; its `next` runs the rest, once. */
function enter(
  middleware: Middleware,
  index: number,
  rest: Middleware,
  ctx: Context,
  after: Next,
): unknown {
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
}
