import { after } from '../context/after.js';
import type { Context } from '../context/context.js';
import { readHttpError } from '../errors/http-error.js';
import type { Middleware } from '../pipeline/middleware.js';

/** Options of {@link requestLogger}. */
export interface RequestLoggerOptions {
  /** Takes one line for each request, without its line end; `console.log` by default. */
  readonly log?: (line: string) => void;
  /** A clock that never goes back, in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/**
 * Logs each request as `<METHOD> <path> <status> <duration> ms`. The duration spans the downstream
 * chain, not the sending of the response.
 *
 * Below the error handler, an error passes through before it has become a response: its status is read
 * from it.
 */
export function requestLogger(options: RequestLoggerOptions = {}): Middleware {
  const { log = (line) => console.log(line), now = () => performance.now() } = options;
  return function requestLogger(ctx, next) {
    const start = now();
    const write = (status: number): void => {
      log(`${ctx.method} ${ctx.path} ${status} ${(now() - start).toFixed(1)} ms`);
    };
    return after(
      next,
      () => write(statusOf(ctx)),
      (error) => write(readHttpError(error)?.status ?? 500),
    );
  };
}

/** The status that the client gets. */
function statusOf(ctx: Context): number {
  if (ctx.res.headersSent) return ctx.res.statusCode;
  return ctx.answered ? ctx.status : 404;
}
