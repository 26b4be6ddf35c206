import { joinPaths } from '../context/path.js';
import type { Middleware } from '../pipeline/middleware.js';
import { type Pattern, parsePattern } from './pattern.js';
import type { Router } from './router.js';

/** A router and where it is mounted. */
export interface MountedRouter {
  /** May hold parameters. */
  readonly prefix: string;
  readonly router: Router;
}

/** A route of a mounted router. */
export interface MountedRoute {
  readonly method: string;
  /** With the prefix. */
  readonly pattern: Pattern;
  readonly handlers: readonly Middleware[];
}

/**
 * The routes of a mounted router, in the order of registration.
 *
 * @throws {InvalidPatternError} When a parameter stands in the prefix and in a route.
 */
export function mountedRoutes({ prefix, router }: MountedRouter): readonly MountedRoute[] {
  return router.routes.map(({ method, pattern, handlers }) => ({
    method,
    pattern: parsePattern(joinPaths(prefix, pattern)),
    handlers,
  }));
}
