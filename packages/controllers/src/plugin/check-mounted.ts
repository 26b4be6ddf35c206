import type { Application } from '@fairlead/core';
import { ControllerError } from '../errors/controller-error.js';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import { problemText } from '../errors/problem-text.js';
import type { ParameterDefinition } from '../metadata/parameter.js';
import { placeOf } from '../metadata/place.js';
import { routeOf } from '../registry/built-routes.js';
import type { BuiltRoute, RegisteredController } from '../registry/definition.js';

/** Full patterns by route: several where a router is mounted at several prefixes. */
type Patterns = ReadonlyMap<BuiltRoute, readonly string[]>;

/**
 * Finds what is wrong with registered routes once their routers are mounted.
 *
 * @param app - With everything registered.
 * @param controllers - Those of one plugin, whose routes are on one router.
 * @returns One error per problem, in the order of the routes; empty when there is none.
 */
export function findMountProblems(
  app: Application,
  controllers: readonly RegisteredController[],
): ControllerError[] {
  const patterns = patternsOf(app);
  const routes = controllers.flatMap((controller) => controller.routes);
  if (routes.length > 0 && !routes.some((route) => patterns.has(route))) return [notMounted()];
  return controllers.flatMap((controller) => parameterProblems(controller, patterns));
}

function patternsOf(app: Application): Patterns {
  const patterns = new Map<BuiltRoute, readonly string[]>();
  for (const { pattern, handlers } of app.routes()) {
    const route = routeOf(handlers.at(-1));
    if (route !== undefined) patterns.set(route, [...(patterns.get(route) ?? []), pattern]);
  }
  return patterns;
}

function notMounted(): ControllerError {
  const title = 'No route of the controllers answers: the router of the plugin is not mounted.';
  const fix = "mount it: app.route('/', router).";
  return new ControllerError(problemText({ title, fix }), { code: 'ROUTER_NOT_MOUNTED' });
}

/**
 * Finds parameters that no request can have. One that may be absent has to be in a pattern of one of
 * its method's routes; one that is required, in a pattern of each.
 */
function parameterProblems(
  { controller, routes }: RegisteredController,
  patterns: Patterns,
): RouteRegistrationError[] {
  const ofRoutes = (some: readonly BuiltRoute[]): readonly string[] =>
    some.flatMap((route) => patterns.get(route) ?? []);
  return routes.flatMap((route) => {
    const siblings = routes.filter(({ methodName }) => methodName === route.methodName);
    return route.parameters.flatMap((parameter) => {
      const { source, name = '' } = parameter;
      const counted = ofRoutes(isRequired(parameter) ? [route] : siblings);
      const names = counted.flatMap(namesIn);
      if (source !== 'param' || names.includes(name)) return [];
      const shown = ofRoutes([route]).map((pattern) => `${route.method} ${pattern}`);
      const flaw = {
        problem: `@Param('${name}') names no parameter of ${shown.join(' or ')}.`,
        fix: fixFor(name, ofRoutes([route]).flatMap(namesIn)),
      };
      return new RouteRegistrationError(route.handler, flaw, placeOf(controller));
    });
  });
}

function isRequired({ required, default: stated }: ParameterDefinition): boolean {
  return required && stated === undefined;
}

/** The parameters of a pattern that a router has taken. */
function namesIn(pattern: string): string[] {
  return [...pattern.matchAll(/\/(?::|\*(?=.))([^/]+)|\/(\*)$/g)].flatMap(
    ([, name, wildcard]) => name ?? wildcard ?? [],
  );
}

function fixFor(name: string, names: readonly string[]): string {
  const known = [...new Set(names)].map((other) => `'${other}'`);
  return known.length === 0
    ? `the pattern has no parameters: add '/:${name}' to it, or remove the parameter.`
    : `the pattern has ${known.join(', ')}: give one of these, or add '/:${name}' to the path.`;
}
