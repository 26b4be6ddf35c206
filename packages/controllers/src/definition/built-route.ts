import type { Handler, Middleware, RouteOptions } from '@fairlead/core';
import type { Guard, InterceptorReference, MiddlewareReference } from '../metadata/references.js';
import type { ControllerDefinition, RouteDefinition } from './definition.js';

/** A route that is ready to be registered on a router. */
export interface BuiltRoute extends RouteDefinition {
  /** Path below the plugin's prefix, relative to the router's mount. */
  readonly path: string;
  /** The plugin's guards, then the class's and the method's. */
  readonly guards: readonly Guard[];
  /** The plugin's middleware, then the class's and the method's. */
  readonly middleware: readonly MiddlewareReference[];
  /** The plugin's interceptors, then the class's and the method's, the outermost first. */
  readonly interceptors: readonly InterceptorReference[];
  /** What the route is registered with: its status, schemas and documentation. */
  readonly options: RouteOptions;
  /** The functions that a router runs. The last one runs the method. */
  readonly handlers: readonly [...middleware: Middleware[], handler: Handler];
}

/** A controller whose routes are registered. */
export interface RegisteredController extends ControllerDefinition {
  /** As they were registered. */
  readonly routes: readonly BuiltRoute[];
}

/** Routes by the last of their handlers. The router keeps only the handlers, not the route. */
const ROUTES = new WeakMap<Middleware, BuiltRoute>();

/** The guards that check the requests to a route. */
const CHECKING = new WeakMap<BuiltRoute, readonly Guard[]>();

/**
 * Lets {@link routeOf} find a route by the last of its handlers.
 *
 * @param checking - Those of its guards that {@link checkingGuards} returns.
 */
export function rememberRoute(route: BuiltRoute, checking: readonly Guard[]): BuiltRoute {
  const handler = route.handlers.at(-1);
  if (handler !== undefined) ROUTES.set(handler, route);
  CHECKING.set(route, checking);
  return route;
}

/** Finds the route that a handler was built for; undefined if the handler is not from a controller. */
export function routeOf(handler: Middleware | undefined): BuiltRoute | undefined {
  return handler === undefined ? undefined : ROUTES.get(handler);
}

/** Returns why everyone may call a route, as a decorator such as `@Public('a reason')` says. */
export function reasonOf({ metadata }: RouteDefinition): string | undefined {
  return [...metadata]
    .map(([{ reader }, value]) =>
      reader?.exempts(value) === true ? reader.reason(value) : undefined,
    )
    .find((reason) => reason !== undefined);
}

/**
 * Whether a guard checks the requests to a route. With a decorator such as `@Public()`, it does not.
 *
 * @param guard - Of a token, what the container has for it.
 */
export function appliesTo({ metadata }: RouteDefinition, guard: Guard): boolean {
  return ![...metadata].some(([key, value]) => {
    const { reader } = key;
    if (reader?.exempts(value) !== true) return false;
    return reader.matches(guard) || reader.contradicts(guard) !== undefined;
  });
}

/**
 * Lists the guards that check the requests to a route, in the order in which they run: without those that a decorator
 * such as `@Public()` skips. There are none if the handler, the last one of the route, is not from a controller.
 */
export function checkingGuards(handler: Middleware | undefined): readonly Guard[] {
  const route = routeOf(handler);
  return (route && CHECKING.get(route)) ?? [];
}
