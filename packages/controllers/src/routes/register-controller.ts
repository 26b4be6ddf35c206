import type { Router } from '@fairlead/core';
import { describe } from '@fairlead/core/extend';
import type { Constructor, Injectable, Token } from '@fairlead/di';
import { captureCaller, describeValue } from '@fairlead/options';
import { tryRoute } from '../checks/collisions.js';
import { findIdle } from '../checks/eager.js';
import { findDoubts, findMistakes } from '../checks/rules.js';
import type { RegisteredController } from '../definition/built-route.js';
import { type ControllerDefinition, definitionOf } from '../definition/definition.js';
import { ControllerError, optionError, RouteRegistrationError, throwProblems } from '../errors.js';
import { type Requirement, requiredTokens } from '../instances/instances.js';
import { undiscovered } from '../metadata/class-metadata.js';
import {
  type BuildRoutesOptions,
  checkBuildOptions,
  findForeignRouter,
  ROUTER,
} from '../options.js';
import { type BuildContext, buildController, createBuildContext } from './build-routes.js';

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
  const definition = definitionOf(target, options.versionIn !== 'request');
  const context = createBuildContext(options);
  const tokens = requiredTokens([definition], context.shared);
  throwProblems(findProblems(router, [definition], context, tokens), locate);
  const controller = buildController(definition, context);
  throwProblems([...context.problems.values()]);
  undiscovered.delete(target);
  for (const text of findDoubts('controller', definition)) context.warn(text);
  const [first] = controller.routes;
  const invoker = first?.handlers.at(-1);
  if (first && invoker) {
    const check = () => findIdle(context.instances.container);
    describe(invoker, { name: first.handler, check });
  }
  registerControllers(router, [controller], context);
  return controller;
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
  const { guards } = shared;
  return [
    ...definitions.flatMap((one) => findMistakes('controller', one)),
    ...findMistakes('router', { definitions, router, prefix, guards }),
    ...instances.check(tokens),
  ];
}

/** @throws {RouteRegistrationError} 500, when the router refuses a function of `@UseMiddleware()`. */
export function registerControllers(
  router: Router,
  controllers: readonly RegisteredController[],
  { shared, instances, warn }: BuildContext,
): readonly RegisteredController[] {
  const { guards } = shared;
  const resolved = (token: unknown): unknown => instances.resolved(token);
  const providersOf = (token: Token) => instances.providersOf(token).providers;
  for (const text of findDoubts('built', { controllers, guards, resolved, providersOf }))
    warn(text);
  for (const { routes } of controllers) {
    for (const { method, path, options, handlers, handler, locate } of routes) {
      const cause = tryRoute(router, method, path, options, handlers);
      if (cause === undefined) continue;
      throw new RouteRegistrationError(handler, { problem: cause.message, cause }, locate());
    }
  }
  return controllers;
}
