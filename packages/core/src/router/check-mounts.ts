import { atLine } from '@fairlead/options';
import { InvalidPatternError } from '../errors/setup-error.js';
import { type MountedRoute, type MountedRouter, mountRoute } from './mount.js';
import { parsePrefix, shapeOf } from './pattern.js';
import { type AnyRouter, conflictOf, mountedTwice, type Route } from './router.js';

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
  const shapesOf = new Map<AnyRouter, Map<string, MountedRouter>>();
  const byShape = new Map<string, Pick<Route, 'pattern' | 'options'>>();
  for (const mount of mounts) {
    const { prefix, router } = mount;
    const shapes = shapesOf.get(router) ?? new Map<string, MountedRouter>();
    const shape = shapeOf(parsePrefix(prefix), router.rules);
    // Its routes would conflict with themselves.
    const first = shapes.get(shape);
    if (first !== undefined) {
      problems.push(mountedTwice('app', prefix, atLine(mount) + atLine(first)));
      continue;
    }
    shapesOf.set(router, shapes.set(shape, mount));
    const valid = router.routes.flatMap((route) => {
      try {
        return [mountRoute(prefix, route)];
      } catch (error) {
        if (!(error instanceof InvalidPatternError)) throw error;
        error.message += atLine(route.options);
        problems.push(error);
        return [];
      }
    });
    routes.set(mount, valid);
    for (const { method, pattern, options } of valid) {
      const key = `${method} ${shapeOf(pattern, router.rules)}`;
      const existing = byShape.get(key);
      const route = { pattern: pattern.text, options };
      if (existing === undefined) byShape.set(key, route);
      else problems.push(conflictOf(method, existing, route));
    }
  }
  return { routes, problems };
}
