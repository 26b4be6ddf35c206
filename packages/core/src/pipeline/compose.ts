import { type Context, internals } from '../context/context.js';
import { isPromiseLike, type Next } from '../context/next.js';
import { NextCalledTwiceError } from '../errors/next-called-twice-error.js';
import type { Middleware } from './middleware.js';

/**
 * Makes one middleware of several, which run in their order; the last one's `next` goes on to
 * whatever follows the whole.
 *
 * Nothing here makes a promise: a chain of synchronous functions runs and throws synchronously.
 *
 * @param stack - The middleware in the order in which a request meets them.
 */
export function compose(stack: readonly Middleware[]): Middleware {
  const steps = Object.freeze([...stack]);
  return (ctx, next) => run(steps, 0, ctx, next);
}

function run(steps: readonly Middleware[], index: number, ctx: Context, after: Next): unknown {
  const step = steps[index];
  if (step === undefined) return after();
  let called = false;
  const next = (): void | Promise<void> => {
    if (called) throw new NextCalledTwiceError(step.name || `middleware#${index}`);
    called = true;
    const result = run(steps, index + 1, ctx, after) as void | Promise<void>;
    if (!isPromiseLike(result)) internals.enterStep(ctx, next);
    return result;
  };
  internals.enterStep(ctx, next);
  return step(ctx, next);
}
