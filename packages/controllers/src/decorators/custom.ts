import 'reflect-metadata';
import type { Context } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import {
  assertExperimental,
  classOrMethodMetadata,
  type RouteValues,
  routeValues,
} from '../metadata/class-metadata.js';
import type { ParamOptions } from '../metadata/parameter.js';
import { parameterDecorator } from './parameters.js';

/**
 * Combines decorators into one that has the same effect as writing them one per line, in this order.
 *
 * @param decorators - For classes, for methods, or for both. The result applies where all of them do.
 */
export function applyDecorators(
  ...decorators: readonly (ClassDecorator & MethodDecorator)[]
): ClassDecorator & MethodDecorator;
export function applyDecorators(...decorators: readonly MethodDecorator[]): MethodDecorator;
export function applyDecorators(
  ...decorators: readonly ((target: Constructor) => unknown)[]
): (target: Constructor) => void;
export function applyDecorators(...decorators: readonly unknown[]): unknown {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): unknown => {
    assertExperimental('applyDecorators', key);
    return key === undefined
      ? Reflect.decorate(decorators as ClassDecorator[], target as Constructor)
      : Reflect.decorate(decorators as MethodDecorator[], target, key, descriptor);
  };
}

/** A decorator created by {@link createRouteMetadata}. Its `get` reads the values that it sets. */
export interface RouteMetadata<Value> {
  /** Sets a value for every route of a class, or for those of one method. */
  (value: Value): ClassDecorator & MethodDecorator;
  /** The name passed to `createRouteMetadata`. */
  readonly name: string;
  /**
   * Reads the value of a route: the method's, or else the class's.
   *
   * @param source - The context, within the route's middleware, guards, parameters, interceptors
   *   and method; or the route's definition.
   * @returns Undefined if no decorator set a value, and before a route has matched.
   */
  get(source: Context | { readonly metadata: RouteValues }): Value | undefined;
}

/**
 * Creates a decorator that attaches your data to routes, for guards, middleware, interceptors and
 * tools to read.
 *
 * @param name - Name for tools; need not be unique.
 */
export function createRouteMetadata<Value>(name: string): RouteMetadata<Value> {
  const decorate =
    (value: Value): ClassDecorator & MethodDecorator =>
    (target: object, key?: string | symbol): void => {
      classOrMethodMetadata(target, key, name).values.set(metadata, value);
    };
  const get: RouteMetadata<Value>['get'] = (source) => {
    const values = 'metadata' in source ? source.metadata : routeValues(source);
    // Only this decorator sets values under this key.
    return values?.get(metadata) as Value | undefined;
  };
  const metadata: RouteMetadata<Value> = Object.defineProperty(
    Object.assign(decorate, { get }),
    'name',
    { value: name },
  );
  return metadata;
}

/** A decorator created by {@link createCustomParamDecorator}. You can omit its parentheses. */
export interface CustomParamDecorator<Value> {
  /** `@CurrentUser user: User` */
  (target: object, key: string | symbol | undefined, index: number): void;
  /** `@CurrentUser({ required: true }) user: User` */
  (options?: ParamOptions<Value>): ParameterDecorator;
}

/**
 * Creates a parameter decorator from a function. Its source is `'custom'`, and its value is optional
 * unless `required: true`.
 *
 * @param extract - Reads the value from the context, synchronously or asynchronously. An HttpError
 *   that it throws keeps its status. Any other error becomes a ParameterInjectionError.
 */
export function createCustomParamDecorator<Value>(
  extract: (ctx: Context) => Value,
): CustomParamDecorator<Awaited<Value>> {
  const decorator = extract.name || 'CustomParam';
  const create = (options?: ParamOptions<Awaited<Value>>): ParameterDecorator =>
    parameterDecorator(
      decorator,
      { source: 'custom', name: undefined, required: false, extract },
      options,
    );
  function custom(target: object, key: string | symbol | undefined, index: number): void;
  function custom(options?: ParamOptions<Awaited<Value>>): ParameterDecorator;
  function custom(
    first?: object,
    key?: string | symbol,
    index?: number,
  ): ParameterDecorator | undefined {
    assertExperimental(decorator, key);
    // Only a decorator without parentheses is called with a parameter's index.
    if (first === undefined || index === undefined) return create(first);
    create()(first, key, index);
    return undefined;
  }
  return custom;
}
