import { type Application, createRouter, type Route, type Router } from '@fairlead/core';
import { descriptionOf, isUnknown, renameFix, takeProblem } from '@fairlead/core/extend';
import { isIntended, nearestName } from '@fairlead/options';
import type { ControllerDefinition } from '../definition/definition.js';
import { joinPath } from '../definition/route-path.js';
import { errorText, RouteRegistrationError } from '../errors.js';
import { isRequired, type ParameterMetadata } from '../metadata/parameter.js';
import type { Guard } from '../metadata/references.js';
import { type BuiltRoute, type RegisteredController, routeOf } from '../routes/build-routes.js';

/** Mounted routes by built route. A route has several if its router is mounted at several prefixes. */
type MountedRoutes = ReadonlyMap<BuiltRoute, readonly Route[]>;

/** Finds the problems of the routes of one plugin that depend on where its router is mounted. */
export function findMountProblems(
  mounted: MountedRoutes,
  controllers: readonly RegisteredController[],
  router: Router,
  warn: (message: string) => void,
): RouteRegistrationError[] {
  const routes = controllers.flatMap((controller) => controller.routes);
  if (!routes.some((route) => mounted.has(route))) {
    if (routes.length > 0 && !isIntended(router)) warn(NOT_MOUNTED);
    return [];
  }
  return controllers.flatMap((controller) => checkParameters(controller, mounted, warn));
}

export function mountedRoutesOf(app: Application): MountedRoutes {
  const mounted = new Map<BuiltRoute, readonly Route[]>();
  for (const mountedRoute of app.routes()) {
    const route = routeOf(mountedRoute.handlers.at(-1));
    if (route !== undefined) mounted.set(route, [...(mounted.get(route) ?? []), mountedRoute]);
  }
  return mounted;
}

const NOT_MOUNTED = errorText(
  'the routes of the controllers are unreachable: their router is not mounted.',
  "mount it: app.route('/', router). If another application mounts it, pass the router to intended().",
);

/**
 * Describes guards that read what other guards or middleware of the application provide, but run before them, or
 * without them, unless something unknown may do their work.
 */
export function findUnpreparedGuards(
  mounted: MountedRoutes,
  controllers: readonly RegisteredController[],
  pluginGuards: readonly Guard[] = [],
): readonly string[] {
  return controllers.flatMap(({ routes, style }) =>
    routes.flatMap((route) => {
      const { handler, middleware, guards } = route;
      const [own] = mounted.get(route) ?? [];
      if (own === undefined) return [];
      const { upstream = [], handlers } = own;
      const others = handlers.slice(0, handlers.length - route.handlers.length);
      const unprepared = guards.find((guard, index) => {
        const { after = [] } = descriptionOf(guard) ?? {};
        if (after.length === 0 || isIntended(guard)) return false;
        const provides = (one: unknown) =>
          [descriptionOf(one)?.name, Reflect.get(Object(one), 'name')].some(
            (name) => typeof name === 'string' && after.includes(name),
          );
        const before = [...upstream, ...others, ...middleware, ...guards.slice(0, index)];
        if (before.some(provides)) return false;
        return guards.some(provides) || !before.some(isUnknown);
      });
      const described = descriptionOf(unprepared);
      if (described === undefined) return [];
      const needed = described.after.join(' or ');
      const name = style.spell(described.name);
      const title = `${name} on ${handler} reads what ${needed} provides, but nothing before it provides that.`;
      const silence = `${silenceOf(described.name, pluginGuards)} of @fairlead/core`;
      const fix = `list ${needed} above it. If that is not necessary, ${silence}.`;
      return errorText(title, fix, route.locate());
    }),
  );
}

/** Explains how to silence the warning about a guard. That of a decorator can't be marked itself. */
function silenceOf(name: string, pluginGuards: readonly Guard[]): string {
  if (!name.startsWith('@')) return `pass ${name} to intended()`;
  return pluginGuards.length > 0
    ? 'pass the list of guards of the plugin to intended()'
    : 'pass guards: intended([]) to the plugin, with intended()';
}

/**
 * Finds `@Param()` names that no request can provide. The pattern of every route of a method must
 * contain the method's required parameters. An optional parameter needs to be in only one of them.
 */
function checkParameters(
  { controller, routes }: RegisteredController,
  mounted: MountedRoutes,
  warn: (message: string) => void,
): RouteRegistrationError[] {
  const mountedOf = (some: readonly BuiltRoute[]): readonly Route[] =>
    some.flatMap((route) => mounted.get(route) ?? []);
  return routes.flatMap((route) => {
    const siblings = routes.filter(({ methodName }) => methodName === route.methodName);
    return route.parameters.flatMap((parameter) => {
      const { source, name } = parameter;
      if (source !== 'param' || name === undefined) return [];
      const own = mountedOf([route]);
      const hasName = ({ params }: Route): boolean => params.includes(name);
      if (own.some(hasName)) return [];
      const isElsewhere = mountedOf(siblings).some(hasName);
      const isNeeded = isRequired(parameter);
      if (isElsewhere && !isNeeded) return [];
      const shown = own.map(({ pattern }) => `${route.method} ${pattern}`).join(' or ');
      const names = own.flatMap(({ params }) => params);
      const problem = `@Param('${name}') does not match a parameter of ${shown}.`;
      const optional = 'pass { required: false }, or remove the path without the parameter.';
      const [rename] = own.flatMap(({ pattern }) => renameFix(pattern, name) ?? []);
      const fix = isElsewhere ? optional : rename ? `${rename}.` : parameterFix(name, names);
      const diagnostic = { problem, fix };
      const location = route.locate();
      if (!isNeeded) {
        const both = `${fix} If it may always be absent, pass the class to intended().`;
        const title = `parameter ${parameter.index} of ${route.handler} is never present: ${problem}`;
        if (!isIntended(controller)) warn(errorText(title, both, location));
        return [];
      }
      return new RouteRegistrationError(route.handler, diagnostic, location);
    });
  });
}

/**
 * Finds `@Param()` names that a route lacks, as far as that does not depend on where the router is
 * mounted later.
 *
 * @param mounts - The prefixes at which the router is mounted so far. Without any, finds names on routes
 *   that have a parameter of a similar name, or one that nothing reads. Undefined finds only names that no
 *   pattern can contain.
 */
export function findMisnamedParameters(
  definitions: readonly ControllerDefinition[],
  prefix: string,
  mounts: readonly string[] | undefined,
): RouteRegistrationError[] {
  return definitions.flatMap(({ routes }) =>
    routes.flatMap(({ method, methodName, path, handler, parameters, locate }) =>
      parameters.flatMap(({ source, name }) => {
        const paths = routes.flatMap((one) => (one.methodName === methodName ? one.path : []));
        if (source !== 'param' || name === undefined) return [];
        if (paths.some((one) => one.includes(`:${name}`))) return [];
        const pattern = joinPath(prefix, path);
        const mounted = (mounts ?? []).map((mount) => joinPath(mount, pattern));
        const names = [pattern, ...mounted].flatMap(parametersOf);
        if (names.includes(name)) return [];
        const isPossible = [`/:${name}`, `/*${name}`].some((own) =>
          parametersOf(own).includes(name),
        );
        if ((mounts !== undefined) !== isPossible) return [];
        const isLikely = nearestName(name, names) !== undefined || hasUnread(names, parameters);
        if (mounts?.length === 0 && !isLikely) return [];
        const problem = `@Param('${name}') does not match a parameter of ${method} ${mounted[0] ?? pattern}.`;
        const diagnostic = { problem, fix: parameterFix(isPossible ? name : undefined, names) };
        return new RouteRegistrationError(handler, diagnostic, locate());
      }),
    ),
  );
}

/** Whether a route has a named parameter that its method does not read. */
function hasUnread(names: readonly string[], parameters: readonly ParameterMetadata[]): boolean {
  const read = parameters.flatMap(({ source, name }) => (source === 'param' ? name : source));
  const readsAll = [undefined, 'ctx', 'req', 'custom'].some((one) => read.includes(one));
  return !readsAll && names.some((name) => name !== '*' && !read.includes(name));
}

function parametersOf(pattern: string): readonly string[] {
  const router = createRouter();
  takeProblem(router, () => router.get(pattern, () => {}));
  return router.routes.flatMap(({ params }) => params);
}

/** @param name - Undefined if no path can contain it. */
function parameterFix(name: string | undefined, names: readonly string[]): string {
  const known = [...new Set(names)].map((other) => `'${other}'`);
  const use = known.length === 1 ? `use ${known}` : `use one of ${known.join(', ')}`;
  if (known.length === 0) {
    return name === undefined
      ? "write the name of a parameter, such as 'id'."
      : `add '/:${name}' to the path, or remove the parameter.`;
  }
  return name === undefined ? `${use}.` : `${use}, or add '/:${name}' to the path.`;
}
