import type { Context } from '@fairlead/core';

/** Names one kind of metadata: the decorator that states it. */
export interface RouteMetadataKey {
  /** Text for people and tools; need not be unique. */
  readonly name: string;
}

/** What the decorators of `createRouteMetadata` state about a route: values by decorator. */
export type RouteValues = ReadonlyMap<RouteMetadataKey, unknown>;

/** Shared by all copies of this package. No text names it, so that it is in nobody's way. */
const KEY = Symbol.for('fairlead:route-values');

type Holder = { [KEY]?: RouteValues };

/** Lets guards, middleware and interceptors of a request read the values of its route. */
export function setRouteValues(ctx: Context, values: RouteValues): void {
  (ctx.state as Holder)[KEY] = values;
}

/** The values of the route that answers a request; undefined when it has none. */
export function routeValues(ctx: Context): RouteValues | undefined {
  return (ctx.state as Holder)[KEY];
}
