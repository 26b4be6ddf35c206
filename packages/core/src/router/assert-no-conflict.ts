import { RouteConflictError } from '../errors/setup-error.js';
import { type MountedRouter, mountedRoutes } from './mounted-routes.js';
import { shapeOf } from './pattern.js';

/**
 * Checks that no two mounted routers answer the same requests.
 *
 * @throws {RouteConflictError} For the first two routes with equivalent patterns for one method.
 */
export function assertNoConflict(routers: readonly MountedRouter[]): void {
  const byShape = new Map<string, string>();
  for (const mounted of routers) {
    for (const { method, pattern } of mountedRoutes(mounted)) {
      const key = `${method} ${shapeOf(pattern, mounted.router.rules)}`;
      const existing = byShape.get(key);
      if (existing) throw new RouteConflictError(method, existing, pattern.text);
      byShape.set(key, pattern.text);
    }
  }
}
