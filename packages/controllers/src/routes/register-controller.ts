import {
  createRouter,
  RouteConflictError,
  type RouteOptions,
  type Router,
  type SetupError,
} from '@fairlead/core';
import { type Doubt, describe, descriptionOf, takeProblem } from '@fairlead/core/extend';
import {
  type Constructor,
  type ContainerInterface,
  describeToken,
  type Injectable,
  type Token,
} from '@fairlead/di';
import {
  captureCaller,
  describeValue,
  formatLocation,
  isIntended,
  setLocation,
} from '@fairlead/options';
import { checkDefinition, describeDoubts } from '../definition/check-definition.js';
import {
  type ControllerDefinition,
  definitionOf,
  type RouteDefinition,
} from '../definition/definition.js';
import { joinPath } from '../definition/route-path.js';
import {
  ControllerError,
  type Diagnostic,
  errorText,
  listNames,
  optionError,
  RouteRegistrationError,
  throwProblems,
} from '../errors.js';
import { type Requirement, requiredTokens } from '../instances/instances.js';
import {
  type RouteMetadataKey,
  undiscovered,
  type ValueReader,
} from '../metadata/class-metadata.js';
import type { SharedReferences } from '../metadata/references.js';
import type { Style } from '../metadata/style.js';
import {
  type BuildRoutesOptions,
  checkBuildOptions,
  findForeignRouter,
  ROUTER,
} from '../options.js';
import {
  type BuildContext,
  type BuiltRoute,
  buildController,
  createBuildContext,
  NO_GUARDS,
  type RegisteredController,
} from './build-routes.js';

/**
 * Registers the routes of a single controller on a router.
 *
 * If the container has asynchronous providers, call `await container.initialize()` first.
 *
 * Unlike the plugin, this function does not know where the router is mounted, so it cannot check the
 * names of `@Param()`. A required name that the pattern lacks fails each request with 400.
 *
 * @param router - Receives the routes.
 * @param target - A class with `@Controller()`.
 * @param options - Prefix, container, and what all routes share.
 * @returns The controller's frozen definition, with its registered routes.
 * @throws {NotAControllerError} 500, when the class does not itself have `@Controller()`.
 * @throws {NoRoutesError} 500, when it has no routes.
 * @throws {RouteRegistrationError} 500, when a route cannot work or collides with another.
 * @throws {ControllerResolutionError} 500, when the container cannot resolve what it needs.
 * @throws {StartError} 500, when there are several of these problems.
 */
export function registerController<C extends Constructor>(
  router: Router,
  target: Injectable<C>,
  options: BuildRoutesOptions = {},
): RegisteredController {
  const locate = captureCaller(registerController);
  const optionProblems = checkBuildOptions('registerController()', options);
  throwProblems([...checkRouter(router), ...optionProblems], locate);
  const definition = definitionOf(target);
  const context = createBuildContext(options);
  const tokens = requiredTokens([definition], context.shared);
  throwProblems(findProblems(router, [definition], context, tokens), locate);
  const controller = buildController(definition, context);
  throwProblems([...context.problems.values()]);
  undiscovered.delete(target);
  for (const text of describeDoubts(definition)) context.warn(text);
  const invoker = controller.routes[0]?.handlers.at(-1);
  if (invoker) describe(invoker, { check: () => findIdle(context.instances.container) });
  registerControllers(router, [controller], context);
  return controller;
}

/** The containers that a warning was printed about. */
const idle = new WeakSet<ContainerInterface>();

/** Finds eager providers that nothing has built when the application starts, as the plugin would have. */
function findIdle(container: ContainerInterface): Doubt | undefined {
  if (idle.has(container) || container.isBuilt === undefined) return undefined;
  const unbuilt = (container.eagerTokens?.() ?? []).filter((one) => !container.isBuilt?.(one));
  if (unbuilt.length === 0) return undefined;
  idle.add(container);
  const message = `Nothing builds the eager ${listNames(unbuilt.map(describeToken))} before the first request: registerController() does not. Call await container.initialize() before the application starts, use controllersPlugin(), or pass the controller to intended().`;
  return { code: 'FAIRLEAD_ORDER', message };
}

function checkRouter(router: unknown): ControllerError[] {
  const call = 'registerController()';
  const foreign = findForeignRouter(call, router);
  if (foreign !== undefined) return [foreign];
  if (ROUTER.accepts(router)) return [];
  const value = describeValue(router);
  return [optionError(`router of ${call} must be ${ROUTER.description}: got ${value}.`)];
}

/** Finds all problems that prevent the registration of controllers, without registering anything. */
export function findProblems(
  router: Router,
  definitions: readonly ControllerDefinition[],
  { prefix, shared, instances }: BuildContext,
  tokens: ReadonlyMap<Token, Requirement>,
): Error[] {
  return [
    ...definitions.flatMap(checkDefinition),
    ...findCollisions(router, prefix, definitions),
    ...findUnreadValues(shared, definitions),
    ...instances.check(tokens),
  ];
}

/** @throws {RouteRegistrationError} 500, when the router refuses a function of `@UseMiddleware()`. */
export function registerControllers(
  router: Router,
  controllers: readonly RegisteredController[],
  context: BuildContext,
): readonly RegisteredController[] {
  warnOfUnreadValues(controllers, context);
  warnOfGuards(controllers, context);
  for (const { routes } of controllers) {
    for (const { method, path, options, handlers, handler, locate } of routes) {
      const cause = tryRoute(router, method, path, options, handlers);
      if (cause === undefined) continue;
      throw new RouteRegistrationError(handler, { problem: cause.message, cause }, locate());
    }
  }
  return controllers;
}

function tryRoute(
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
function findCollisions(
  router: Router,
  prefix: string,
  definitions: readonly ControllerDefinition[],
): ControllerError[] {
  const trial = createRouter(router.rules);
  for (const { method, pattern, options } of router.routes) {
    tryRoute(trial, method, pattern, options);
  }
  const owners = new Map<string, () => string>();
  // Keyed by what has to change, because a prefix is part of many routes.
  const errors = new Map<unknown, ControllerError>();
  for (const definition of definitions.filter(({ hasPath }) => hasPath)) {
    for (const route of definition.routes) {
      const { method, handler, locate } = route;
      const path = joinPath(prefix, route.path);
      const options = {};
      setLocation(options, locate);
      const error = tryRoute(trial, method, path, options);
      if (error === undefined) {
        owners.set(`${method} ${path}`, () => {
          const location = locate();
          return location === undefined ? handler : `${handler} (${location})`;
        });
        continue;
      }
      const [culprit, explained] = findInvalidPrefix(prefix, definition) ?? [
        route,
        new RouteRegistrationError(handler, explainRejection(error, owners), locate()),
      ];
      errors.set(culprit, explained);
    }
  }
  return [...errors.values()];
}

function explainRejection(
  cause: SetupError,
  owners: ReadonlyMap<string, () => string>,
): Diagnostic {
  if (!(cause instanceof RouteConflictError)) {
    const fix = 'correct the path of the route, or the prefix of its controller.';
    return { problem: cause.message, fix, cause };
  }
  const { method, added, existing } = cause;
  const owner = owners.get(`${method} ${existing}`)?.() ?? 'the router itself';
  const problem = `${method} ${added} matches the same paths as ${method} ${existing} of ${owner}.`;
  return { problem, fix: 'change one of the two paths.', cause };
}

/** Returns the prefix that a router would reject without the rest of the path, and the error. */
function findInvalidPrefix(
  prefix: string,
  { controller, name, style, version, prefix: own, locate }: ControllerDefinition,
): [culprit: unknown, error: ControllerError] | undefined {
  const reject = (part = '') => tryRoute(createRouter(), 'GET', joinPath(part));
  const ofAll = reject(prefix);
  if (ofAll !== undefined) {
    const title = `Cannot register any route: ${ofAll.message}`;
    return [prefix, optionError(errorText(title, 'correct the option prefix.'))];
  }
  const cause = reject(version) ?? reject(own);
  if (cause === undefined) return undefined;
  const diagnostic = {
    problem: cause.message,
    fix: `correct the argument of ${style.origin}.`,
    cause,
  };
  return [controller, new RouteRegistrationError(name, diagnostic, locate())];
}

/** Finds decorators that restrict routes without any guard, although they have no effect without a guard. */
function findUnreadValues(
  { guards }: SharedReferences,
  definitions: readonly ControllerDefinition[],
): ControllerError[] {
  if (isIntended(guards)) return [];
  const unread = unreadValues(definitions, ({ guards: own }, reader, value) => {
    return reader.exempts(value) || guards.length + own.length > 0;
  });
  return unread.map(({ decorator, guard, names, fix, location }) => {
    const title = `${decorator} has no effect on ${names}: the guard ${guard} does not check the requests.`;
    return new ControllerError(errorText(title, fix, location), { code: 'GUARD_MISSING' });
  });
}

/**
 * Warns about decorators whose guard is not among the guards of a route. Any other guard may do its work: a
 * class or function that calls it, for example.
 */
function warnOfUnreadValues(
  controllers: readonly RegisteredController[],
  { shared, instances, warn }: BuildContext,
): void {
  if (isIntended(shared.guards)) return;
  const unread = unreadValues(controllers, (route, reader, value) => {
    const guards = [...shared.guards, ...route.guards];
    // An empty list, as in development, gives everyone access to the route.
    const isOpen = guards.length === 0 && shared.guards !== NO_GUARDS;
    if (isOpen && reader.exempts(value)) return true;
    return guards.some((guard) => {
      const instance = instances.resolved(guard);
      const all = [guard, instance, Object(instance).constructor];
      return all.some((one) => isIntended(one) || reader.matches(one));
    });
  });
  for (const { decorator, guard, names, fix, location } of unread) {
    const title = `${decorator} may have no effect on ${names}: ${guard} is not one of the guards.`;
    const silence =
      'If another guard does its work, pass that guard to intended() of @fairlead/core.';
    warn(errorText(title, `${fix} ${silence}`, location));
  }
}

/** Describes the routes with values that nothing reads, by decorator. */
function unreadValues(
  definitions: readonly ControllerDefinition[],
  isRead: (route: RouteDefinition, reader: ValueReader, value: unknown) => boolean,
) {
  const unread = new Map<
    RouteMetadataKey,
    { handlers: Set<string>; guard: string; style: Style; location: string | undefined }
  >();
  for (const { style, routes } of definitions) {
    for (const route of routes) {
      for (const [key, value] of route.metadata) {
        if (key.reader === undefined || isRead(route, key.reader, value)) continue;
        const found = unread.get(key) ?? {
          handlers: new Set(),
          guard: key.reader.name,
          style,
          location: route.locate(),
        };
        unread.set(key, found);
        found.handlers.add(route.handler);
      }
    }
  }
  return [...unread].map(([{ name }, { handlers, guard, style, location }]) => ({
    decorator: style.spell(`@${name}()`),
    guard,
    names: listNames([...handlers]),
    location,
    fix: `add ${guard} to the option guards, or ${style.addGuard(guard)}.`,
  }));
}

/** Warns of what guards report about themselves, once for each guard. */
function warnOfGuards(controllers: readonly RegisteredController[], { warn }: BuildContext): void {
  const all = controllers.flatMap(({ routes }) =>
    routes.flatMap(({ guards, locate }) => guards.map((guard) => [guard, locate] as const)),
  );
  const known = new Set<unknown>();
  for (const [guard, locate] of all) {
    if (known.has(guard)) continue;
    known.add(guard);
    const message = isIntended(guard) ? undefined : descriptionOf(guard)?.warning?.();
    if (message !== undefined) warn(message + formatLocation(locate));
  }
}
