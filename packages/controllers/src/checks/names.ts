import { createRouter, type Route } from '@fairlead/core';
import { joinPaths, renameFix, takeProblem } from '@fairlead/core/extend';
import { isIntended, nearestName } from '@fairlead/options';
import type { BuiltRoute, RegisteredController } from '../definition/built-route.js';
import type { RouteDefinition } from '../definition/definition.js';
import { errorText, RouteRegistrationError } from '../errors.js';
import {
  isRequired,
  type ParameterDefinition,
  type ParameterMetadata,
} from '../metadata/parameter.js';
import {
  byMethod,
  type Mounted,
  type MountedRoutes,
  type Placed,
  type Siblings,
} from './subjects.js';

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
  const mountedOf = (route: BuiltRoute): readonly Route[] => mounted.get(route) ?? [];
  return pathParameters(routes).flatMap(({ parameter, name, siblings }) => {
    const hasName = ({ params }: Route): boolean => params.includes(name);
    const lacking = siblings.filter((route) => !mountedOf(route).some(hasName));
    const [first] = lacking;
    const isElsewhere = lacking.length < siblings.length;
    const isNeeded = isRequired(parameter);
    if (first === undefined || (isElsewhere && !isNeeded)) return [];
    const own = lacking.flatMap(mountedOf);
    const problem = explainAbsence(name, own);
    const names = own.flatMap(({ params }) => params);
    const optional = 'pass { required: false }, or remove the path without the parameter.';
    const [rename] = own.flatMap(({ pattern }) => renameFix(pattern, name) ?? []);
    const fix = isElsewhere ? optional : rename ? `${rename}.` : parameterFix(name, names);
    const [{ handler }, location] = [first, first.locate()];
    if (!isNeeded) {
      const both = `${fix} If it may always be absent, pass the class to intended().`;
      const title = `parameter ${parameter.index} of ${handler} is never present: ${problem}`;
      return isIntended(controller) ? [] : errorText(title, both, location);
    }
    return new RouteRegistrationError(handler, { problem, fix }, location);
  });
}

/** A `@Param()` with a name, and the routes of its method. */
interface PathParameter<Own extends RouteDefinition> {
  readonly parameter: ParameterDefinition;
  readonly name: string;
  readonly siblings: Siblings<Own>;
}

function pathParameters<Own extends RouteDefinition>(
  routes: readonly Own[],
): readonly PathParameter<Own>[] {
  return byMethod(routes).flatMap((siblings) =>
    siblings[0].parameters.flatMap((parameter) => {
      const { source, name } = parameter;
      return source === 'param' && name !== undefined ? { parameter, name, siblings } : [];
    }),
  );
}

function explainAbsence(
  name: string,
  routes: readonly Pick<Route, 'method' | 'pattern'>[],
): string {
  const shown = routes.map(({ method, pattern }) => `${method} ${pattern}`).join(' or ');
  return `@Param('${name}') does not match a parameter of ${shown}.`;
}

/**
 * Finds `@Param()` names that a route lacks, as far as that does not depend on where the router is
 * mounted later. Without a known prefix, finds names on routes that have a parameter of a similar name, or one that
 * nothing reads. If `mounts` is undefined, finds only names that no pattern can contain.
 */
export function findMisnamed({ definitions, prefix, mounts }: Placed): RouteRegistrationError[] {
  return definitions.flatMap(({ routes }) =>
    pathParameters(routes).flatMap(({ name, siblings }) => {
      if (siblings.some(({ path }) => path.includes(`:${name}`))) return [];
      const own = siblings.map(({ method, path }) => {
        const pattern = joinPaths(prefix, path);
        return {
          method,
          all: [...(mounts ?? []).map((mount) => joinPaths(mount, pattern)), pattern],
        };
      });
      const names = own.flatMap(({ all }) => all.flatMap(parametersOf));
      if (names.includes(name)) return [];
      const isPossible = [`/:${name}`, `/*${name}`].some((one) => parametersOf(one).includes(name));
      if ((mounts !== undefined) !== isPossible) return [];
      const [{ handler, parameters, locate }] = siblings;
      const isLikely = nearestName(name, names) !== undefined || hasUnread(names, parameters);
      if (mounts?.length === 0 && !isLikely) return [];
      const shown = own.map(({ method, all: [pattern = ''] }) => ({ method, pattern }));
      const problem = explainAbsence(name, shown);
      const diagnostic = { problem, fix: parameterFix(isPossible ? name : undefined, names) };
      return new RouteRegistrationError(handler, diagnostic, locate());
    }),
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
