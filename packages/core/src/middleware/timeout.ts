import { internals } from '../context/context.js';
import { isPromiseLike } from '../context/next.js';
import { ServiceUnavailableError } from '../errors/http-errors.js';
import { SetupError } from '../errors/setup-error.js';
import { answerProblem } from '../handlers/answer-problem.js';
import type { Middleware } from '../pipeline/middleware.js';

/**
 * Answers 503 when what comes after it is not done in time, and aborts `ctx.signal`. What that goes on
 * to answer is ignored; it is not stopped unless it heeds the signal.
 *
 * The middleware throws {@link ServiceUnavailableError} 503 `TIMED_OUT`.
 *
 * @param milliseconds - A whole number from 1 to 2,147,483,647.
 * @returns The middleware.
 * @throws {SetupError} `INVALID_TIMEOUT`, when it is not.
 */
export function timeout(milliseconds: number): Middleware {
  if (!Number.isInteger(milliseconds) || milliseconds < 1 || milliseconds > 2 ** 31 - 1) {
    throw new SetupError(
      'INVALID_TIMEOUT',
      `timeout() takes whole milliseconds from 1 to ${2 ** 31 - 1}, not ${milliseconds}.`,
    );
  }
  return function timeout(ctx, next) {
    const result = next();
    if (!isPromiseLike(result)) return;
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new ServiceUnavailableError(
          `${ctx.method} ${ctx.path} was not answered within ${milliseconds} ms.`,
          { code: 'TIMED_OUT' },
        );
        answerProblem(ctx, error);
        internals.answerOf(ctx).finalize();
        internals.abortSignal(ctx, error);
        reject(error);
      }, milliseconds);
      Promise.resolve(result)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  };
}
