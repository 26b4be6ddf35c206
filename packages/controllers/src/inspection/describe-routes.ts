import type { Application, Middleware, Route } from '@fairlead/core';
import { describeToken, type Token } from '@fairlead/di';
import { guardName } from '../guards/guard-pipeline.js';
import { routeOf } from '../registry/built-routes.js';
import type { RouteDefinition } from '../registry/definition.js';

/** One route of an application, for people and tools. */
export interface RouteDescription {
  /** In upper case; `ALL` for every method. */
  readonly method: string;
  /** The whole pattern, with the prefixes of its router. */
  readonly path: string;
  /** The controller's method, as `UsersController.create`, or the name of the handler function. */
  readonly handler: string;
  /** Names of guards, in the order in which they are asked. */
  readonly guards: readonly string[];
  /** Names of the router's, the plugin's, the class's and the method's middleware, in this order. */
  readonly middleware: readonly string[];
  /** Names of interceptors, the outermost first. */
  readonly interceptors: readonly string[];
  /** Everything that decorators state; undefined for a route that is no controller's. */
  readonly definition: RouteDefinition | undefined;
}

/**
 * Describes every route of an application, those of functions and those of controllers.
 *
 * @param app - With its routers mounted and its plugins installed. What `app.use` has added is not
 *   listed: it precedes every route that is mounted after it.
 * @returns In the order of registration. A function without a name is `(anonymous)`.
 */
export function describeRoutes(app: Application): readonly RouteDescription[] {
  return app.routes().map(describeRoute);
}

function describeRoute({ method, pattern, handlers }: Route): RouteDescription {
  const handler = handlers.at(-1);
  const route = routeOf(handler);
  const ofRouter = handlers.slice(0, -(route?.handlers.length ?? 1));
  const { guards = [], middleware = [], interceptors = [] } = route ?? {};
  return Object.freeze({
    method,
    path: pattern,
    handler: nameOf(handler ?? ''),
    guards: guards.map(guardName),
    middleware: [...ofRouter, ...middleware].map(nameOf),
    interceptors: interceptors.map(nameOf),
    definition: route,
  });
}

function nameOf(reference: Middleware | Token): string {
  if (typeof reference === 'function') return reference.name || '(anonymous)';
  return describeToken(reference);
}
