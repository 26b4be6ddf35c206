import type { Context } from '../context.js';
import { readHttpError } from '../errors/http-error.js';
import { after } from '../next.js';
import type { Middleware } from '../pipeline.js';

/** Options of {@link requestLogger}. */
export interface RequestLoggerOptions {
  /** Called with one line per request, without a line break; `console.log` by default. */
  readonly log?: (line: string) => void;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/**
 * Logs each request as `<METHOD> <path> <status> <duration> ms`. The duration covers downstream
 * middleware, but not sending the response.
 *
 * If downstream middleware throws, it logs the status of the error.
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

/** Returns the status that the response has so far, or 404 if nothing has responded. */
function statusOf(ctx: Context): number {
  if (ctx.res.headersSent) return ctx.res.statusCode;
  return ctx.answered ? ctx.status : 404;
}
