import { createRouter, type Route } from '@fairlead/core';
import { joinPaths, renameFix, takeProblem } from '@fairlead/core/extend';
import { isIntended, nearestName } from '@fairlead/options';
import type { BuiltRoute, RegisteredController } from '../definition/built-route.js';
import { errorText, RouteRegistrationError } from '../errors.js';
import { isRequired, type ParameterMetadata } from '../metadata/parameter.js';
import type { Mounted, MountedRoutes, Placed } from './subjects.js';

/**
 * Finds `@Param()` names that no request can provide. The pattern of every route of a method must
 * contain the method's required parameters. An optional parameter needs to be in only one of them.
 */
export function findAbsentNames(subject: Mounted): readonly RouteRegistrationError[] {
  return absentNames(subject).filter((one) => typeof one !== 'string');
}

/** Describes such names of parameters that may be absent. */
export function describeAbsentNames(subject: Mounted): readonly string[] {
  return absentNames(subject).filter((one) => typeof one === 'string');
}

function absentNames({
  controllers,
  mounted,
}: Mounted): readonly (RouteRegistrationError | string)[] {
  const isMounted = controllers.some(({ routes }) => routes.some((route) => mounted.has(route)));
  return isMounted ? controllers.flatMap((one) => absentNamesOf(one, mounted)) : [];
}

function absentNamesOf(
  { controller, routes }: RegisteredController,
  mounted: MountedRoutes,
): readonly (RouteRegistrationError | string)[] {
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
        return isIntended(controller) ? [] : errorText(title, both, location);
      }
      return new RouteRegistrationError(route.handler, diagnostic, location);
    });
  });
}

/**
 * Finds `@Param()` names that a route lacks, as far as that does not depend on where the router is
 * mounted later. Without a known prefix, finds names on routes that have a parameter of a similar name, or one that
 * nothing reads. If `mounts` is undefined, finds only names that no pattern can contain.
 */
export function findMisnamed({ definitions, prefix, mounts }: Placed): RouteRegistrationError[] {
  return definitions.flatMap(({ routes }) =>
    routes.flatMap(({ method, methodName, path, handler, parameters, locate }) =>
      parameters.flatMap(({ source, name }) => {
        const paths = routes.flatMap((one) => (one.methodName === methodName ? one.path : []));
        if (source !== 'param' || name === undefined) return [];
        if (paths.some((one) => one.includes(`:${name}`))) return [];
        const pattern = joinPaths(prefix, path);
        const mounted = (mounts ?? []).map((mount) => joinPaths(mount, pattern));
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
