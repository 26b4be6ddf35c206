import type { Context, Middleware } from '@fairlead/core';

/** A request whose response is complete or whose client has disconnected. */
export interface FinishedRequest {
  readonly ctx: Context;
  /** The status sent to the client, or 499 when the client disconnected first. */
  readonly status: number;
  /** Milliseconds from the request headers to the end of the response. */
  readonly duration: number;
  /** Whether the client disconnected before the response was complete. */
  readonly aborted: boolean;
}

/** Observes requests. */
export interface RequestObserver {
  /** Called when a request starts. */
  started?(): void;
  /** Called when its response closes. */
  finished(request: FinishedRequest): void;
}

/** The status that nginx logs when a client disconnects. HTTP defines none. */
const CLIENT_CLOSED_REQUEST = 499;

/** Notifies observers when each request starts and when its response closes. */
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
