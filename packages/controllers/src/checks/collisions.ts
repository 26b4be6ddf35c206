import {
  createRouter,
  RouteConflictError,
  type RouteOptions,
  type Router,
  type SetupError,
} from '@fairlead/core';
import { joinPaths, sharesVersion, takeProblem } from '@fairlead/core/extend';
import { setLocation } from '@fairlead/options';
import type { BuiltRoute } from '../definition/built-route.js';
import type { ControllerDefinition } from '../definition/definition.js';
import {
  type ControllerError,
  type Diagnostic,
  errorText,
  optionError,
  RouteRegistrationError,
} from '../errors.js';
import type { Defined } from './subjects.js';

/** Returns why a router rejects a route; undefined if it has registered it. */
export function tryRoute(
  router: Router,
  method: string,
  path: string,
  options: RouteOptions = {},
  handlers: BuiltRoute['handlers'] = [() => {}],
): SetupError | undefined {
  return takeProblem(router, () => router.on(method, path, options, ...handlers));
}

/**
 * Finds routes that a router would reject: those with an invalid path, and those that collide with
 * one of its routes or with each other. Tries them on a router with the same rules.
 */
export function findCollisions({ router, prefix, definitions }: Defined): ControllerError[] {
  const trial = createRouter(router.rules);
  for (const { method, pattern, options } of router.routes) {
    tryRoute(trial, method, pattern, options);
  }
  // Keyed by the options of the routes of the trial.
  const owners = new Map<object, () => string>();
  // Keyed by what has to change, because a prefix is part of many routes.
  const errors = new Map<unknown, ControllerError>();
  for (const definition of definitions.filter(({ hasPath }) => hasPath)) {
    for (const route of definition.routes) {
      const { method, handler, locate } = route;
      const path = joinPaths(prefix, route.path);
      const { requestVersion: version } = definition;
      const options = { ...(version !== undefined && { version }) };
      setLocation(options, locate);
      const error = tryRoute(trial, method, path, options);
      if (error === undefined) {
        owners.set(options, () => {
          const location = locate();
          return location === undefined ? handler : `${handler} (${location})`;
        });
        continue;
      }
      const [culprit, explained] = findInvalidPrefix(prefix, definition) ?? [
        route,
        new RouteRegistrationError(
          handler,
          explainRejection(error, trial, owners, version),
          locate(),
        ),
      ];
      errors.set(culprit, explained);
    }
  }
  return [...errors.values()];
}

function explainRejection(
  cause: SetupError,
  trial: Router,
  owners: ReadonlyMap<object, () => string>,
  version: string | undefined,
): Diagnostic {
  if (!(cause instanceof RouteConflictError)) {
    const fix = 'correct the path of the route, or the prefix of its controller.';
    return { problem: cause.message, fix, cause };
  }
  const { method, added, existing } = cause;
  const rival = trial.routes.find(
    (one) =>
      one.method === method &&
      one.pattern === existing &&
      sharesVersion(one.options.version, version),
  );
  const owner = (rival && owners.get(rival.options)?.()) ?? 'the router itself';
  const problem = `${method} ${added} matches the same paths as ${method} ${existing} of ${owner}.`;
  const isOfOtherVersion = rival !== undefined && rival.options.version !== version;
  const fix = `change one of the two paths${isOfOtherVersion ? ', or give both routes a version' : ''}.`;
  return { problem, fix, cause };
}

/** Returns the prefix or the version that a router would reject without the rest of the route, and the error. */
function findInvalidPrefix(
  prefix: string,
  { controller, name, style, version, requestVersion, prefix: own, locate }: ControllerDefinition,
): [culprit: unknown, error: ControllerError] | undefined {
  const reject = (part = '') => {
    const path = joinPaths(part);
    const problem = tryRoute(createRouter(), 'GET', path);
    const router = createRouter();
    // Of a prefix, its fix may differ.
    return problem && (takeProblem(router, () => router.route(path, createRouter())) ?? problem);
  };
  const ofAll = reject(prefix);
  if (ofAll !== undefined) {
    const title = `Cannot register any route: ${ofAll.message}`;
    return [prefix, optionError(errorText(title, 'correct the option prefix.'))];
  }
  const options = requestVersion === undefined ? {} : { version: requestVersion };
  const cause = reject(version) ?? reject(own) ?? tryRoute(createRouter(), 'GET', '/', options);
  if (cause === undefined) return undefined;
  const diagnostic = {
    problem: cause.message,
    fix: `correct the argument of ${style.origin}.`,
    cause,
  };
  return [controller, new RouteRegistrationError(name, diagnostic, locate())];
}
