import { atLine, describeValue, warn } from '@fairlead/options';
import type { Context } from '../context/context.js';
import { mistakes, requestOf, silent } from '../context/context-errors.js';
import { type Next, ObservedPromise } from '../exchange/after-next.js';
import { EXCHANGE } from '../exchange/exchange.js';
import { isPromiseLike } from '../promise.js';

type Run = (ctx: Context, next: Next) => unknown;

/** The middleware of which the process has been warned. */
const warned = new WeakSet<Run>();

/**
 * Calls a function of a step, and observes it. Finds middleware that neither awaits nor returns `next()`, and
 * middleware that returns a function, such as a factory that was not called.
 *
 * @param isBranch - Whether the function has steps itself.
 */
export function observe(
  run: Run,
  ctx: Context,
  next: Next,
  name: string,
  isBranch: boolean,
): unknown {
  const exchange = ctx[EXCHANGE];
  let isCalled = false;
  let hasReturned = false;
  /** Notes a mistake, unless the steps of a branch have. */
  const note = (message: string): boolean => {
    if (isBranch && mistakes.has(ctx)) return false;
    mistakes.set(ctx, message);
    exchange.environment.sample.restart();
    return true;
  };
  const reportFloat = (): void => {
    const message = `The middleware '${name}' neither awaited nor returned next() for ${requestOf(exchange)}. ${FIX}`;
    if (!note(message) || warned.has(run)) return;
    warned.add(run);
    warn('FAIRLEAD_FLOATING_NEXT', message + atLine(run));
  };
  const reportValue = (value: unknown): void => {
    if (value === observedNext) {
      const returned = `returned next, and did not respond to ${requestOf(exchange)}`;
      note(`The middleware '${name}' ${returned}. Call it: return next().`);
      return;
    }
    const fix =
      typeof value === 'function'
        ? `If it is a factory, call it where you register it: ${name}().`
        : `Only what the last function of a route returns becomes the response. Call ctx.respond(value), return next(), or pass '${name}' as the last function.`;
    note(
      `The middleware '${name}' returned ${describeValue(value)}, and did not respond to ${requestOf(exchange)}. ${fix}`,
    );
  };
  const reportLost = (cause: unknown): void => {
    reportFloat();
    const message = `An error occurred downstream of the middleware '${name}', which neither awaited nor returned next() for ${requestOf(exchange)}. ${FIX}`;
    exchange.errors.onError(new Error(message, { cause }), ctx);
  };
  const last: { promise?: ObservedPromise } = {};
  const follow = (promise: PromiseLike<unknown>): ObservedPromise => {
    last.promise = new ObservedPromise(promise, follow, reportLost);
    return last.promise;
  };
  const observedNext: Next = (...values: readonly unknown[]) => {
    isCalled = true;
    const result = Reflect.apply(next, undefined, values);
    if (hasReturned) reportFloat();
    return isPromiseLike(result) ? follow(result) : undefined;
  };
  const finish = (value: unknown): void => {
    hasReturned = true;
    if (last.promise?.isUsed === false) reportFloat();
    else if (isCalled || ctx.answered) return;
    else if (value !== undefined) reportValue(value);
    else if (!isBranch) silent.set(ctx, name);
  };
  exchange.next = observedNext;
  const result = run(ctx, observedNext);
  if (!isPromiseLike(result)) finish(result);
  // Uses the promise of `next()`, if that is what the middleware returned.
  else if (result instanceof Promise) result.then(finish, () => undefined);
  return result;
}

const FIX = 'Write `await next()` or `return next()`.';
