import type { Context, Middleware } from '@fairlead/core';

/** A request whose answer has been sent, or whose client has gone. */
export interface FinishedRequest {
  readonly ctx: Context;
  /** The status that was sent; 499 when the client went before any was. */
  readonly status: number;
  /** Milliseconds from the request's head to the end of the answer. */
  readonly duration: number;
  /** Whether the client went before it had the whole answer. */
  readonly aborted: boolean;
}

/** Is told of requests. */
export interface RequestObserver {
  started?(): void;
  finished(request: FinishedRequest): void;
}

/** What nginx logs for a client that went away: HTTP has no status for it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Tells observers of each request when it starts, and when its answer is sent to the last byte. */
export function observeRequests(observers: readonly RequestObserver[]): Middleware {
  return function observeRequests(ctx, next) {
    const start = performance.now();
    for (const observer of observers) observer.started?.();
    ctx.res.once('close', () => {
      const { headersSent, statusCode, writableFinished } = ctx.res;
      const request: FinishedRequest = {
        ctx,
        status: headersSent ? statusCode : CLIENT_CLOSED_REQUEST,
        duration: performance.now() - start,
        aborted: !writableFinished,
      };
      for (const observer of observers) observer.finished(request);
    });
    return next();
  };
}
