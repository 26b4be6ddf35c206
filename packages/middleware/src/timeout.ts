import { type Context, HttpError, type Middleware, ServiceUnavailableError } from '@fairlead/core';
import {
  describe,
  describeFactories,
  readHttpError,
  reportsAbort,
  throwTogether,
} from '@fairlead/core/extend';
import {
  describeValue,
  explainSeconds,
  findOptionProblems,
  integer,
  type Kinds,
  LONGEST_DELAY,
  named,
  oneOf,
} from '@fairlead/options';

/** Options of {@link timeout}. */
export interface TimeoutOptions {
  /** Status of the response: 503, the default, or 504 for a service that waits for another one. */
  readonly status?: 503 | 504;
}

const MILLISECONDS = integer(1, LONGEST_DELAY);

const TIMEOUT_OPTIONS: Kinds<TimeoutOptions> = { status: oneOf(503, 504) };

/** The innermost running timeout of each request. */
const running = new WeakMap<Context, Clock>();

/**
 * Responds with 503 when downstream middleware does not complete in time, and aborts `ctx.signal`. Code
 * that ignores the signal keeps running, but its response is ignored. `onError` receives an error that it throws, with two
 * exceptions: an error for clients, such as a 404, and one that only reports that the signal has aborted. The latter is an
 * `AbortError`, the reason of the signal, an error with the reason as `cause`, or that of a stream that closed early.
 *
 * While a `timeout()` further downstream runs, such as the timeout of a route, this one pauses. A route can
 * therefore have more or less time than the application.
 *
 * The middleware throws a {@link ServiceUnavailableError} 503 `TIMED_OUT`, or an {@link HttpError} 504.
 *
 * @param milliseconds - An integer from 1 to 2,147,483,647. The startup warns about less than 10, which are probably
 *   seconds.
 * @throws {SetupError} `INVALID_OPTION`, when `milliseconds` is not such an integer, or an option is unknown or
 *   invalid.
 */
export function timeout(milliseconds: number, options: TimeoutOptions = {}): Middleware {
  const problems = findOptionProblems('timeout()', options, TIMEOUT_OPTIONS);
  if (!MILLISECONDS.accepts(milliseconds)) {
    problems.unshift(
      `Invalid timeout: ${describeValue(milliseconds)}. Pass timeout() ${MILLISECONDS.description}, in milliseconds.`,
    );
  }
  throwTogether(problems);
  const { status = 503 } = options;
  const middleware: Middleware = named('timeout', (ctx, next) => {
    const outer = running.get(ctx);
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    let result: void | Promise<void>;
    const clock = new Clock(milliseconds, () => {
      const message = `${ctx.method} ${ctx.path} did not complete within ${milliseconds} ms.`;
      const code = { code: 'TIMED_OUT' };
      const error =
        status === 503
          ? new ServiceUnavailableError(message, code)
          : new HttpError(status, message, code);
      ctx.abort(error);
      reject(error);
      Promise.resolve(result).catch((late: unknown) => {
        const isForClients = readHttpError(late)?.report === false;
        if (!isForClients && !reportsAbort(late, ctx)) ctx.report(late);
      });
    });
    const settle = (): void => {
      clock.stop();
      if (outer === undefined) running.delete(ctx);
      else running.set(ctx, outer);
      outer?.start();
    };
    outer?.stop();
    running.set(ctx, clock);
    try {
      result = next();
    } catch (error) {
      settle();
      throw error;
    }
    if (typeof Object(result).then !== 'function') {
      settle();
      return;
    }
    // Otherwise an inner timeout runs, and starts this one when it has settled.
    if (running.get(ctx) === clock) clock.start();
    return Promise.race([result, timedOut]).finally(settle);
  });
  const warning = () =>
    explainSeconds(`timeout(${milliseconds}) allows`, milliseconds, 10, 'the middleware');
  const sends = { responses: { [status]: { description: 'The request took too long.' } } };
  return describe(middleware, { role: 'middleware', warning, sends });
}

describeFactories(timeout);

/** Calls a function after a given running time, which does not include pauses. */
class Clock {
  readonly #onEnd: () => void;
  #left: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined = undefined;

  /** @param left - Milliseconds. */
  constructor(left: number, onEnd: () => void) {
    this.#left = left;
    this.#onEnd = onEnd;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(1, this.#left));
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#startedAt;
  }
}
