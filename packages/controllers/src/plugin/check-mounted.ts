import type { Application, Route } from '@fairlead/core';
import { ControllerError, errorText } from '../errors/controller-error.js';
import { RouteRegistrationError } from '../errors/startup-errors.js';
import { locationOf } from '../metadata/class-metadata.js';
import type { ParameterDefinition } from '../metadata/parameter.js';
import { type BuiltRoute, routeOf } from '../routes/build-routes.js';
import type { RegisteredController } from '../routes/register-controller.js';

/** Mounted routes by built route. A route has several if its router is mounted at several prefixes. */
type MountedRoutes = ReadonlyMap<BuiltRoute, readonly Route[]>;

/**
 * Finds the problems of registered routes that depend on where their router is mounted.
 *
 * @param app - With all routes registered.
 * @param controllers - The controllers of one plugin, whose routes are on one router.
 * @returns One error per problem, in the order of the routes.
 */
export function findMountProblems(
  app: Application,
  controllers: readonly RegisteredController[],
): ControllerError[] {
  const mounted = mountedRoutesOf(app);
  const routes = controllers.flatMap((controller) => controller.routes);
  if (routes.length > 0 && !routes.some((route) => mounted.has(route))) return [notMounted()];
  return controllers.flatMap((controller) => checkParameters(controller, mounted));
}

function mountedRoutesOf(app: Application): MountedRoutes {
  const mounted = new Map<BuiltRoute, readonly Route[]>();
  for (const mountedRoute of app.routes()) {
    const route = routeOf(mountedRoute.handlers.at(-1));
    if (route !== undefined) mounted.set(route, [...(mounted.get(route) ?? []), mountedRoute]);
  }
  return mounted;
}

function notMounted(): ControllerError {
  const title = 'The routes of the controllers are unreachable: their router is not mounted.';
  const fix = "mount it: app.route('/', router).";
  return new ControllerError(errorText({ title, fix }), { code: 'ROUTER_NOT_MOUNTED' });
}

/**
 * Finds `@Param()` names that no request can provide. The pattern of every route of a method must
 * contain the method's required parameters. An optional parameter needs to be in only one of them.
 */
function checkParameters(
  { controller, routes }: RegisteredController,
  mounted: MountedRoutes,
): RouteRegistrationError[] {
  const mountedOf = (some: readonly BuiltRoute[]): readonly Route[] =>
    some.flatMap((route) => mounted.get(route) ?? []);
  return routes.flatMap((route) => {
    const siblings = routes.filter(({ methodName }) => methodName === route.methodName);
    return route.parameters.flatMap((parameter) => {
      const { source, name } = parameter;
      if (source !== 'param' || name === undefined) return [];
      const searched = mountedOf(isRequired(parameter) ? [route] : siblings);
      if (searched.some(({ params }) => params.includes(name))) return [];
      const own = mountedOf([route]);
      const shown = own.map(({ pattern }) => `${route.method} ${pattern}`).join(' or ');
      const diagnostic = {
        problem: `@Param('${name}') does not match a parameter of ${shown}.`,
        fix: parameterFix(
          name,
          own.flatMap(({ params }) => params),
        ),
      };
      return new RouteRegistrationError(route.handler, diagnostic, locationOf(controller));
    });
  });
}

function isRequired({ required, default: fallback }: ParameterDefinition): boolean {
  return required && fallback === undefined;
}

function parameterFix(name: string, names: readonly string[]): string {
  const known = [...new Set(names)].map((other) => `'${other}'`);
  return known.length === 0
    ? `add '/:${name}' to the path, or remove the parameter.`
    : `use one of ${known.join(', ')}, or add '/:${name}' to the path.`;
}
