import { describeValue, warn } from '@fairlead/options';
import { type Context, internals } from './context.js';
import { isPromiseLike, type Next, PromiseUse } from './next.js';

/** A function of a step. */
type Run = (ctx: Context, next: Next) => unknown;

/** What middleware did wrong in a request. */
const mistakes = new WeakMap<Context, string>();

/** The middleware of which the process has been warned. */
const warned = new WeakSet<Run>();

/** Returns what middleware did wrong in a request, or undefined if nothing is known. */
export function mistakeOf(ctx: Context): string | undefined {
  return mistakes.get(ctx);
}

/** The first calls of a step are observed, then one for each number of skipped calls. */
const FIRST_CALLS = 100;
const SKIPPED_CALLS = 4_095;

/**
 * Observes some calls of a step, because observing takes time. Finds middleware that neither awaits nor
 * returns `next()`, and middleware that returns a function, such as a factory that was not called.
 */
export class StepObserver {
  /** How many calls to skip before the next one to observe. */
  skips = 0;
  #calls = 0;
  readonly #index: number;
  readonly #isBranch: boolean;

  /**
   * @param index - The position of the step in its pipeline.
   * @param isBranch - Whether the functions of the step have steps themselves.
   */
  constructor(index: number, isBranch: boolean) {
    this.#index = index;
    this.#isBranch = isBranch;
  }

  /** Returns the name of a function for messages. */
  nameOf(run: Run): string {
    return run.name || `middleware#${this.#index}`;
  }

  /** Calls a function of the step, and observes it. */
  run(run: Run, ctx: Context, next: Next): unknown {
    this.#calls += 1;
    this.skips = this.#calls < FIRST_CALLS ? 0 : SKIPPED_CALLS;
    let isCalled = false;
    let hasReturned = false;
    const use = new PromiseUse((cause) => {
      this.#reportFloat(run, ctx);
      const message = `An error occurred downstream of the middleware '${this.nameOf(run)}', which neither awaited nor returned next() for ${requestOf(ctx)}. ${FIX}`;
      internals.errorPolicyOf(ctx).onError(new Error(message, { cause }), ctx);
    });
    const observedNext: Next = (...values: readonly unknown[]) => {
      isCalled = true;
      const result = Reflect.apply(next, undefined, values);
      if (hasReturned) this.#reportFloat(run, ctx);
      return isPromiseLike(result) ? use.observe(result) : undefined;
    };
    const finish = (value: unknown): void => {
      hasReturned = true;
      if (use.isFloating) this.#reportFloat(run, ctx);
      else if (value !== undefined && !isCalled && !ctx.answered)
        this.#reportValue(run, ctx, value);
    };
    internals.enterStep(ctx, observedNext);
    const result = run(ctx, observedNext);
    const released = use.release(result);
    if (released !== result) return released;
    if (!isPromiseLike(result)) finish(result);
    else if (result instanceof Promise) result.then(finish, () => undefined);
    return result;
  }

  #reportFloat(run: Run, ctx: Context): void {
    const message = `The middleware '${this.nameOf(run)}' neither awaited nor returned next() for ${requestOf(ctx)}. ${FIX}`;
    if (!this.#note(ctx, message) || warned.has(run)) return;
    warned.add(run);
    warn('FAIRLEAD_FLOATING_NEXT', message);
  }

  #reportValue(run: Run, ctx: Context, value: unknown): void {
    const name = this.nameOf(run);
    const fix =
      typeof value === 'function'
        ? `If it is a factory, call it where you register it: ${name}().`
        : `Only what the last function of a route returns becomes the response. Call ctx.respond(value), return next(), or pass '${name}' as the last function.`;
    this.#note(
      ctx,
      `The middleware '${name}' returned ${describeValue(value)}, and did not respond to ${requestOf(ctx)}. ${fix}`,
    );
  }

  /** Notes a mistake, unless the steps of a branch have. */
  #note(ctx: Context, message: string): boolean {
    if (this.#isBranch && mistakes.has(ctx)) return false;
    mistakes.set(ctx, message);
    // Observe the following calls, so that none of their errors is lost.
    this.#calls = 0;
    this.skips = 0;
    return true;
  }
}

const FIX = 'Write `await next()` or `return next()`.';

function requestOf({ method, pattern, path }: Context): string {
  return `${method} ${pattern ?? path}`;
}
