import type { Router } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import { throwProblems } from '../errors/start-error.js';
import { type Assembly, assembleRoutes } from './assemble-routes.js';
import { type BuildRoutesOptions, toAssembly } from './build-routes.js';
import { checkDefinition, checkMiddleware } from './check-definition.js';
import { checkResponses } from './check-responses.js';
import { defineController } from './define-controller.js';
import type { BuiltRoute, ControllerDefinition, RegisteredController } from './definition.js';
import { findCollisions } from './find-collisions.js';
import { requiredTokens } from './required-tokens.js';

/**
 * Registers the routes of a single controller on a router.
 *
 * What a container builds asynchronously has to be there already: call
 * `await container.initialize()` first. Where the router is mounted is not known here, so that a
 * name of `@Param()` which no pattern has is answered with 400; the plugin checks it.
 *
 * @param router - Where the routes go.
 * @param target - A class with `@Controller()`.
 * @param options - Prefix, middleware and container.
 * @returns The controller's frozen definition, with the routes as they were registered.
 * @throws {NotAControllerError} 500, when the class carries no `@Controller()` of its own.
 * @throws {NoRoutesError} 500, when it has no routes.
 * @throws {RouteRegistrationError} 500, when a route cannot work or collides with another.
 * @throws {ControllerResolutionError} 500, when the container cannot supply what it needs.
 * @throws {StartError} 500, when there are several of these problems.
 */
export function registerController(
  router: Router,
  target: Constructor,
  options: BuildRoutesOptions = {},
): RegisteredController {
  const definition = defineController(target);
  const assembly = toAssembly(options);
  throwProblems(findProblems(router, [definition], assembly));
  const controller = assembleController(definition, assembly);
  registerRoutes(router, controller.routes);
  return controller;
}

/**
 * Finds everything that stands in the way of registering controllers, registering nothing.
 *
 * @returns One error per problem: what is wrong with single routes, then collisions, then what the
 *   container cannot supply.
 */
export function findProblems(
  router: Router,
  definitions: readonly ControllerDefinition[],
  { prefix, middleware, instances, writers }: Assembly,
): Error[] {
  return [
    ...checkMiddleware(middleware),
    ...definitions.flatMap(checkDefinition),
    ...checkResponses(definitions, writers),
    ...findCollisions(router, prefix, definitions),
    ...instances.check(requiredTokens(definitions, middleware)),
  ];
}

/** Builds a controller that {@link findProblems} has passed. */
export function assembleController(
  definition: ControllerDefinition,
  assembly: Assembly,
): RegisteredController {
  return Object.freeze({ ...definition, routes: assembleRoutes(definition, assembly) });
}

/** Registers built routes in their order. */
export function registerRoutes(router: Router, routes: readonly BuiltRoute[]): void {
  for (const { method, path, handlers } of routes) router.on(method, path, ...handlers);
}
