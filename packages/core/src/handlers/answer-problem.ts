import { type Context, internals } from '../context/context.js';
import { readHttpError } from '../errors/http-error.js';
import { describeProblem } from '../errors/problem.js';

/**
 * Answers with an error's problem body in place of anything recorded before. Headers that do not
 * describe a body, such as those of CORS, stay.
 *
 * @param error - Anything that was thrown.
 * @param includeStack - Whether the body shows the error's stack.
 * @see RFC 9457
 */
export function answerProblem(ctx: Context, error: unknown, includeStack = false): void {
  const problem = describeProblem(error, ctx.path, includeStack);
  const body = JSON.stringify(problem);
  const answer = internals.answerOf(ctx);
  answer.discard();
  answer.status = problem.status;
  answer.record(body, 'application/problem+json');
  for (const [name, value] of Object.entries(readHttpError(error)?.headers ?? {})) {
    // What the answer varies by adds up; any other header of the error takes the place of an earlier one.
    if (name.toLowerCase() === 'vary') answer.headers.append(name, value);
    else answer.headers.set(name, value);
  }
}
