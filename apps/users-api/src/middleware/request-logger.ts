import { isHttpError, type Middleware } from '@fairlead/core';

/** Takes one line of text, without its line end. */
export type Log = (line: string) => void;

/**
 * Logs each request as `<METHOD> <path> <status> <duration> ms`.
 *
 * The duration spans the downstream chain, not the writing of the response. Place this after
 * the error handler: an error passes through here before it has become a response, so its
 * status is read from the error, and is 500 when it has none.
 *
 * @param log - Takes the line.
 * @param now - A clock that never goes back, in milliseconds; `performance.now` unless given.
 */
export function requestLogger(log: Log, now: () => number = () => performance.now()): Middleware {
  return async (ctx, next) => {
    const start = now();
    const write = (status: number) => {
      log(`${ctx.method} ${ctx.path} ${status} ${(now() - start).toFixed(1)} ms`);
    };
    try {
      await next();
    } catch (error) {
      write(isHttpError(error) ? error.status : 500);
      throw error;
    }
    write(ctx.status);
  };
}
