import type { RequestObserver } from '../middleware/observe-requests.js';
import type { Logger } from './logger.js';

/**
 * Logs one line per request, with its method, path without query, route, status, duration, ids and
 * `state.error`. Requests with an error are logged at `error`. Other requests are logged at `debug`
 * on quiet routes, at `error` from status 500, and at `info` otherwise.
 *
 * @param logger - Receives the lines.
 * @param quietRoutes - Patterns of the routes that probes and scrapers poll.
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
