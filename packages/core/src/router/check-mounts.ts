import { InvalidPatternError, RouteConflictError } from '../errors/setup-error.js';
import { type MountedRoute, type MountedRouter, mountRoute } from './mount.js';
import { parsePrefix, shapeOf } from './pattern.js';
import { type AnyRouter, mountedTwice } from './router.js';

/** The routes of mounted routers, and what is wrong with them. */
export interface CheckedMounts {
  /** The valid routes of each mounted router, in order of registration. */
  readonly routes: ReadonlyMap<MountedRouter, readonly MountedRoute[]>;
  readonly problems: readonly Error[];
}

/**
 * Finds routers that are mounted twice at one prefix, routes of different routers that handle the same
 * requests, and routes with a parameter of the same name as one of their prefix.
 */
export function checkMounts(mounts: readonly MountedRouter[]): CheckedMounts {
  const routes = new Map<MountedRouter, readonly MountedRoute[]>();
  const problems: Error[] = [];
  const shapesOf = new Map<AnyRouter, Set<string>>();
  const byShape = new Map<string, string>();
  for (const mount of mounts) {
    const { prefix, router } = mount;
    const shapes = shapesOf.get(router) ?? new Set();
    const shape = shapeOf(parsePrefix(prefix), router.rules);
    // Its routes would conflict with themselves.
    if (shapes.has(shape)) {
      problems.push(mountedTwice('app', prefix));
      continue;
    }
    shapesOf.set(router, shapes.add(shape));
    const valid = router.routes.flatMap((route) => {
      try {
        return [mountRoute(prefix, route)];
      } catch (error) {
        if (!(error instanceof InvalidPatternError)) throw error;
        problems.push(error);
        return [];
      }
    });
    routes.set(mount, valid);
    for (const { method, pattern } of valid) {
      const key = `${method} ${shapeOf(pattern, router.rules)}`;
      const existing = byShape.get(key);
      if (existing === undefined) byShape.set(key, pattern.text);
      else problems.push(new RouteConflictError(method, existing, pattern.text));
    }
  }
  return { routes, problems };
}
