import { describeValue, integer } from '@fairlead/options';
import { internals } from '../context.js';
import { ServiceUnavailableError } from '../errors/http-error.js';
import { SetupError } from '../errors/setup-error.js';
import { isPromiseLike } from '../next.js';
import type { Middleware } from '../pipeline.js';
import { respondWithProblem } from './error-handler.js';

const MILLISECONDS = integer(1, 2 ** 31 - 1);

/**
 * Responds with 503 when downstream middleware does not complete in time, and aborts `ctx.signal`. Code
 * that ignores the signal keeps running, but its response is ignored.
 *
 * The middleware throws {@link ServiceUnavailableError} 503 `TIMED_OUT`.
 *
 * @param milliseconds - An integer from 1 to 2,147,483,647.
 * @throws {SetupError} `INVALID_TIMEOUT`, when `milliseconds` is not such an integer.
 */
export function timeout(milliseconds: number): Middleware {
  if (!MILLISECONDS.accepts(milliseconds)) {
    throw new SetupError(
      'INVALID_TIMEOUT',
      `Invalid timeout: ${describeValue(milliseconds)}. Pass timeout() ${MILLISECONDS.description}.`,
    );
  }
  return function timeout(ctx, next) {
    const result = next();
    if (!isPromiseLike(result)) return;
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new ServiceUnavailableError(
          `${ctx.method} ${ctx.path} did not complete within ${milliseconds} ms.`,
          { code: 'TIMED_OUT' },
        );
        respondWithProblem(ctx, error, { ...internals.errorPolicyOf(ctx), includeStack: false });
        internals.responseOf(ctx).finalize();
        internals.abortSignal(ctx, error);
        reject(error);
      }, milliseconds);
      Promise.resolve(result)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  };
}
