import type { Context } from '../context/context.js';
import { NextCalledTwiceError } from '../errors/http-error.js';
import type { Next } from '../exchange/after-next.js';
import { EXCHANGE, type Exchange, type Params, type State } from '../exchange/exchange.js';
import { isPromiseLike } from '../promise.js';
import { observe } from './find-next-mistakes.js';
import { traced } from './tracing.js';

/**
 * Handles a request, or passes it on with `next()`. The pipeline awaits a returned promise, and ignores
 * any other return value of middleware.
 *
 * @typeParam S - Members of `ctx.state` that the middleware sets for the functions after it.
 */
export type Middleware<S extends object = State> = (
  ctx: Context<Params, State & S>,
  next: Next,
) => unknown;

/**
 * A middleware that may set any members of `ctx.state`. In a function expression, `ctx` has the type
 * {@link Context}.
 *
 * It is typed as a method, because TypeScript would otherwise not accept a `Middleware<{ user: User }>` where
 * any context is possible.
 */
export type AnyMiddleware = { use(ctx: Context, next: Next): unknown }['use'];
/** A middleware or handler that may need any parameters and any state. */
export type AnyHandler = (ctx: Context<never, never, never>, next: Next) => unknown;

/** A step that chooses its middleware for each request, such as a mounted router. */
export interface Branch {
  /** Returns the middleware to run, or undefined to skip the step. */
  choose(exchange: Exchange<Context>): Middleware | undefined;
  /** Every path that the step takes starts with one of these texts. */
  readonly starts: readonly string[];
}

/** One step of a pipeline. */
export type Step = Middleware | Branch;

/**
 * Composes steps into one middleware. The last step's `next` runs the `next` of that middleware.
 *
 * Creates no promises: a chain of synchronous functions runs and throws synchronously.
 *
 * @param begin - The index of the first step to run.
 */
export function compose(steps: readonly Step[], begin = 0): Middleware {
  let rest: Middleware = (_ctx, outerNext) => outerNext();
  /** The neighboring branches from here on, and what runs after them. */
  let first: LinkedBranch | undefined;
  let after = rest;
  for (const [index, step] of [...steps.entries()].slice(begin).reverse()) {
    const run = link(rest, step, index);
    if (typeof step === 'function') {
      first = undefined;
      after = run;
      rest = run;
    } else {
      const isAlone = first === undefined;
      for (const start of step.starts.toReversed()) first = { start, run, following: first };
      rest = isAlone ? run : skip(first, after);
    }
  }
  return rest;
}

/** A branch, with the steps after it, for the paths that start with a text. */
interface LinkedBranch {
  readonly start: string;
  readonly run: Middleware;
  readonly following: LinkedBranch | undefined;
}

/** Passes requests to the first of neighboring branches that may take them. Asking each branch takes longer. */
function skip(first: LinkedBranch | undefined, after: Middleware): Middleware {
  return (ctx, outerNext) => {
    const { path } = ctx[EXCHANGE].target;
    for (let one = first; one !== undefined; one = one.following)
      if (path.startsWith(one.start)) return one.run(ctx, outerNext);
    return after(ctx, outerNext);
  };
}

/** Puts a step before the rest of a pipeline. The step may call its `next`, which runs the rest, once. */
function link(rest: Middleware, step: Step, index: number): Middleware {
  const isBranch = typeof step !== 'function';
  return (ctx, outerNext) => {
    const exchange = ctx[EXCHANGE];
    const middleware = isBranch ? step.choose(exchange) : step;
    if (middleware === undefined) return rest(ctx, outerNext);
    let called = false;
    const next = (error?: unknown): void | Promise<void> => {
      if (called || error !== undefined) checkCall(error, called, nameOf(middleware, index));
      called = true;
      const result = rest(ctx, outerNext) as void | Promise<void>;
      if (result !== undefined && isPromiseLike(result)) return result;
      exchange.next = next;
      return undefined;
    };
    exchange.next = next;
    return exchange.isObserved
      ? observe(middleware, ctx, next, nameOf(middleware, index), isBranch)
      : middleware(ctx, next);
  };
}

/** Returns middleware that publishes its calls, if anything is subscribed to them. */
export function traceMiddleware(middleware: Middleware, index: number): Middleware {
  return traced('middleware', nameOf(middleware, index), middleware);
}

/** Returns the name of a step for messages. */
function nameOf(middleware: Middleware, index: number): string {
  return middleware.name || `middleware#${index}`;
}

/**
 * Checks a call of `next` that is not the first one, or has an argument.
 *
 * @throws The argument, if it is an error, as in `promise.catch(next)`, which must not continue.
 * @throws {NextCalledTwiceError} 500, when `next` was called before.
 */
function checkCall(error: unknown, called: boolean, name: string): void {
  if (error instanceof Error) throw error;
  if (called) throw new NextCalledTwiceError(name);
}
