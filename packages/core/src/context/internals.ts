import type { Answer } from './answer.js';
import type { Context } from './context.js';
import type { Next } from './next.js';
import type { RouteMatch } from './route-match.js';
import type { Target } from './target.js';

/** What core's own modules do with a context beside its public members. */
export interface ContextInternals {
  /** Puts a context at a step of the pipeline: `ctx.next()` is now `next`. */
  enterStep(ctx: Context, next: Next): void;
  /** Gives a context the route that matched. */
  setMatch(ctx: Context, match: RouteMatch): void;
  /** Aborts a context's signal. */
  abortSignal(ctx: Context, reason: unknown): void;
  /** What a context has recorded of its answer. */
  answerOf(ctx: Context): Answer;
  /** What a context's request line asks for. */
  targetOf(ctx: Context): Target;
  /** Methods of the routes that match a context's path. */
  allowedMethods(ctx: Context): ReadonlySet<string>;
}
