import type { Context } from '@fairlead/core';
import { type RouteValues, routeValues } from '../metadata/route-values.js';
import { classMetadata, methodMetadata } from '../metadata/storage.js';

/** A decorator made by {@link createRouteMetadata}, which also reads what it has stated. */
export interface RouteMetadata<Value> {
  /** States a value for every route of a class, or for those of one method. */
  (value: Value): ClassDecorator & MethodDecorator;
  /** As it was given to `createRouteMetadata`. */
  readonly name: string;
  /**
   * Reads the value that holds for a route: that of the method, or else that of the class.
   *
   * @param source - The context, within the route's middleware, guards, parameters, interceptors
   *   and method; or the route's definition.
   * @returns Undefined where nothing was stated, and before a route has matched.
   */
  get(source: Context | { readonly metadata: RouteValues }): Value | undefined;
}

/**
 * Makes a decorator for data of your own about routes, for guards, middleware, interceptors and
 * tools to read.
 *
 * @param name - Text for people and tools; need not be unique.
 */
export function createRouteMetadata<Value>(name: string): RouteMetadata<Value> {
  const decorate =
    (value: Value): ClassDecorator & MethodDecorator =>
    (target: object, key?: string | symbol): void => {
      const owner = key === undefined ? classMetadata(target) : methodMetadata(target, key, name);
      owner.values.set(metadata, value);
    };
  const get: RouteMetadata<Value>['get'] = (source) => {
    const values = 'metadata' in source ? source.metadata : routeValues(source);
    // Only this decorator sets values under itself.
    return values?.get(metadata) as Value | undefined;
  };
  const metadata: RouteMetadata<Value> = Object.defineProperty(
    Object.assign(decorate, { get }),
    'name',
    {
      value: name,
    },
  );
  return metadata;
}
