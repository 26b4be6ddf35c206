import type { RequestObserver } from '../middleware/observe-requests.js';
import type { Logger } from './logger.js';

/**
 * Logs one line for each request: method, path without its query, route, status, milliseconds and
 * request id. A status from 500 up is an error, a quiet route's is debug, any other is info.
 *
 * @param logger - Takes the lines.
 * @param quietRoutes - Patterns of routes that machines ask for again and again.
 */
export function logRequests(logger: Logger, quietRoutes: ReadonlySet<string>): RequestObserver {
  return {
    finished({ ctx, status, duration, aborted }) {
      const { method, path, pattern: route, state } = ctx;
      const level = levelOf(status, route !== undefined && quietRoutes.has(route));
      if (!logger.isLevelEnabled(level)) return;
      const { requestId, traceId } = state;
      const line = {
        method,
        path,
        route,
        status,
        duration: Math.round(duration * 1_000) / 1_000,
        requestId,
        traceId,
      };
      logger[level](aborted ? { ...line, aborted } : line, 'request');
    },
  };
}

function levelOf(status: number, isQuiet: boolean): 'error' | 'info' | 'debug' {
  if (isQuiet) return 'debug';
  return status >= 500 ? 'error' : 'info';
}
