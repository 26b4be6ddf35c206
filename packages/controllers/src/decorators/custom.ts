import 'reflect-metadata';
import type { Context } from '@fairlead/core';
import type { Constructor } from '@fairlead/di';
import {
  assertExperimental,
  classOrMethodMetadata,
  type RouteValues,
  routeValues,
} from '../metadata/class-metadata.js';
import type {
  CheckedIndex,
  Declared,
  Given,
  HasTransform,
  OneOf,
  ParamDecorator,
  ParamOptions,
  Transform,
} from '../metadata/parameter.js';
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

/** Options of {@link createRouteMetadata}. */
export interface RouteMetadataOptions<Value> {
  /**
   * Merges two values of one route: those of a class and its method, of a base class and a class, or of an
   * overridden method and a method. Called at startup. By default, the inner value replaces the outer one.
   */
  readonly merge?: (outer: Value, inner: Value) => Value;
}

/** A decorator created by {@link createRouteMetadata}. Its `get` reads the values that it sets. */
export interface RouteMetadata<Value> {
  /** Sets a value for every route of a class, or for those of one method. */
  (value: Value): ClassDecorator & MethodDecorator;
  /** The name passed to `createRouteMetadata`. */
  readonly name: string;
  /**
   * Reads the value of a route: the method's, or else the class's. With `merge`, both merged.
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
 * @param options - How the values of a class and of its method merge.
 */
export function createRouteMetadata<Value>(
  name: string,
  { merge }: RouteMetadataOptions<Value> = {},
): RouteMetadata<Value> {
  const decorate =
    (value: Value): ClassDecorator & MethodDecorator =>
    (target: object, key?: string | symbol): void => {
      const { values } = classOrMethodMetadata(target, key, name);
      // Decorators run from bottom to top. Only this decorator sets values under this key.
      const merged =
        merge && values.has(metadata) ? merge(value, values.get(metadata) as Value) : value;
      values.set(metadata, merged);
    };
  const get: RouteMetadata<Value>['get'] = (source) => {
    const values = 'metadata' in source ? source.metadata : routeValues(source);
    // Only this decorator sets values under this key.
    return values?.get(metadata) as Value | undefined;
  };
  const metadata: RouteMetadata<Value> = Object.defineProperty(
    Object.assign(decorate, { get, ...(merge && { merge }) }),
    'name',
    { value: name },
  );
  return metadata;
}

/** The values that a transform receives: all but absent ones. */
type Present<Value> = Exclude<Value, undefined>;

/** The type of a parameter without a transform. With data, one member of the union. */
type Extracted<Value, Data> = unknown extends Value
  ? unknown
  : Data extends []
    ? Value
    : OneOf<Value>;

/** The type of the values of a decorator with options. */
type CustomValue<Value, Data, T, D, IsRequired> =
  HasTransform<Present<Value>, T> extends true
    ? Given<Present<Value>, T, D>
    : Extracted<[D, IsRequired] extends [never, false] ? Value : Present<Value> | D, Data>;

/**
 * A decorator created by {@link createCustomParamDecorator}. You can omit its parentheses unless its
 * function requires data.
 */
export interface CustomParamDecorator<Value, Data extends readonly unknown[] = []> {
  /** `@CurrentUser('name', { required: true }) name: string` */
  <
    T extends Transform<Present<Value>> = Transform<Present<Value>>,
    D = never,
    IsRequired extends boolean = false,
  >(
    ...dataAndOptions: [
      ...data: Data,
      options?: ParamOptions<Present<Value>, T, D> & { readonly required?: IsRequired },
    ]
  ): ParamDecorator<CustomValue<Value, Data, T, D, IsRequired>>;
  /** `@CurrentUser user: User` */
  <Target extends object, Key, const Index>(
    target: Target,
    key: Key,
    index: [] extends Data
      ? CheckedIndex<Index, Extracted<Value, Data>, Declared<Target, Key, Index>>
      : { 'the decorator requires': Data },
  ): void;
}

/**
 * Creates a parameter decorator from a function. Its source is `'custom'`, and its value is optional
 * unless `required: true`.
 *
 * @param extract - Reads the value from the context, synchronously or asynchronously. An HttpError
 *   that it throws keeps its status. Any other error becomes a ParameterInjectionError. A second
 *   parameter, without a default value, receives the data of the decorator: `@CurrentUser('name')`.
 */
export function createCustomParamDecorator<Value, Data extends readonly [data?: unknown] = []>(
  extract: (ctx: Context, ...data: Data) => Value,
): CustomParamDecorator<Awaited<Value>, Data>;
export function createCustomParamDecorator(
  extract: (ctx: Context, data?: unknown) => unknown,
): (...values: never[]) => unknown {
  const decorator = extract.name || 'CustomParam';
  const create = (options?: ParamOptions, data?: unknown): ParameterDecorator => {
    const read = data === undefined ? extract : (ctx: Context) => extract(ctx, data);
    const defaults = { source: 'custom', name: undefined, required: false, extract: read } as const;
    return parameterDecorator(decorator, defaults, options);
  };
  function custom(target: object, key: string | symbol | undefined, index: number): void;
  function custom(options?: ParamOptions): ParameterDecorator;
  function custom(data: unknown, options?: ParamOptions): ParameterDecorator;
  function custom(...values: readonly unknown[]): unknown {
    const [first, second, index] = values;
    assertExperimental(decorator, second);
    // Only a decorator without parentheses is called with a parameter's index.
    if (typeof index === 'number') {
      return create()(first as object, second as string | symbol | undefined, index);
    }
    const hasData = extract.length > 1 || values.length > 1 || typeof first !== 'object';
    return hasData ? create(second as ParamOptions, first) : create(first as ParamOptions);
  }
  return custom;
}
