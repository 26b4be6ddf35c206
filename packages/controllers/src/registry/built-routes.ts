import type { Middleware } from '@fairlead/core';
import type { BuiltRoute } from './definition.js';

/** Built routes by the function that runs their method, which is all that a router keeps of them. */
const ROUTES = new WeakMap<Middleware, BuiltRoute>();

/** Remembers a built route, so that it is found again among the routes of an application. */
export function rememberRoute(invoker: Middleware, route: BuiltRoute): void {
  ROUTES.set(invoker, route);
}

/** The route whose method a handler runs; undefined for a handler that is no controller's. */
export function routeOf(handler: Middleware | undefined): BuiltRoute | undefined {
  return handler === undefined ? undefined : ROUTES.get(handler);
}
