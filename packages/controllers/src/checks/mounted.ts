import type { Application, Route } from '@fairlead/core';
import { isIntended } from '@fairlead/options';
import { type BuiltRoute, routeOf } from '../definition/built-route.js';
import { errorText } from '../errors.js';
import type { Mounted, MountedRoutes } from './subjects.js';

export function mountedRoutesOf(app: Application): MountedRoutes {
  const mounted = new Map<BuiltRoute, readonly Route[]>();
  for (const mountedRoute of app.routes()) {
    const route = routeOf(mountedRoute.handlers.at(-1));
    if (route !== undefined) mounted.set(route, [...(mounted.get(route) ?? []), mountedRoute]);
  }
  return mounted;
}

/** Describes a plugin whose router is not mounted. */
export function describeUnmounted({ controllers, router, mounted }: Mounted): readonly string[] {
  const routes = controllers.flatMap((controller) => controller.routes);
  const isMounted = routes.length === 0 || routes.some((route) => mounted.has(route));
  return isMounted || isIntended(router) ? [] : [NOT_MOUNTED];
}

const NOT_MOUNTED = errorText(
  'the routes of the controllers are unreachable: their router is not mounted.',
  "mount it: app.route('/', router). If another application mounts it, pass the router to intended().",
);
