import type { RequestObserver } from '../middleware/observe-requests.js';
import type { Logger } from './logger.js';

/**
 * Logs one line for each request: method, path without its query, route, status, milliseconds and
 * request id, and `state.error` if there is one. Where there is, and at a status from 500 up, the line
 * is an error; a quiet route's is debug otherwise, any other info.
 *
 * @param logger - Takes the lines.
 * @param quietRoutes - Patterns of routes that machines ask for again and again.
 */
export function logRequests(logger: Logger, quietRoutes: ReadonlySet<string>): RequestObserver {
  return {
    finished({ ctx, status, duration, aborted }) {
      const { method, path, pattern: route, state } = ctx;
      const { requestId, traceId, error: err } = state;
      const isQuiet = route !== undefined && quietRoutes.has(route);
      const level = err === undefined ? levelOf(status, isQuiet) : 'error';
      if (!logger.isLevelEnabled(level)) return;
      const line = {
        method,
        path,
        route,
        status,
        duration: Math.round(duration * 1_000) / 1_000,
        requestId,
        traceId,
        err,
      };
      logger[level](aborted ? { ...line, aborted } : line, 'request');
    },
  };
}

function levelOf(status: number, isQuiet: boolean): 'error' | 'info' | 'debug' {
  if (isQuiet) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
