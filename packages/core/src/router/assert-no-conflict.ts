import { joinPaths } from '../context/path.js';
import { RouteConflictError } from '../errors/setup-error.js';
import type { MountedRouter } from './mount.js';
import { parsePattern, shapeOf } from './pattern.js';

/**
 * Checks that no two mounted routers answer the same requests.
 *
 * @throws {RouteConflictError} For the first two routes with equivalent patterns for one method.
 */
export function assertNoConflict(routers: readonly MountedRouter[]): void {
  const byShape = new Map<string, string>();
  for (const { prefix, router } of routers) {
    for (const { method, pattern: relative } of router.routes) {
      const pattern = parsePattern(joinPaths(prefix, relative));
      const key = `${method} ${shapeOf(pattern, router.rules)}`;
      const existing = byShape.get(key);
      if (existing) throw new RouteConflictError(method, existing, pattern.text);
      byShape.set(key, pattern.text);
    }
  }
}
