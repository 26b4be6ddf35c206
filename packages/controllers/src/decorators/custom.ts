import 'reflect-metadata';
import type { AnyContext, Context } from '@fairlead/core';
import { describe, describeFactories, describeLike, descriptionOf } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
import { describeValue, fn, isClass, type Kinds, kind, nonEmptyString } from '@fairlead/options';
import {
  type ControllerError,
  errorText,
  findOptionErrors,
  optionError,
  throwProblems,
} from '../errors.js';
import { type RouteValues, routeValues, type ValueReader } from '../metadata/class-metadata.js';
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
import { type Guard, guardName, isReference } from '../metadata/references.js';
import { decorateWith } from './decorate-with.js';
import {
  assertExperimental,
  CLASS_OR_METHOD,
  createDecorator,
  createMark,
  type Declaration,
  isDeclaration,
  missingParentheses,
  PARAMETER,
  recordFault,
} from './decorator.js';
import { readParameter } from './parameters.js';
import type { ResponseDecorator } from './routes.js';

/**
 * Combines decorators into one that has the same effect as writing them one per line, in this order.
 *
 * @param decorators - For classes, for methods, or for both. The result applies where all of them do.
 */
export function applyDecorators(
  ...decorators: readonly (ClassDecorator & MethodDecorator)[]
): ClassDecorator & MethodDecorator;
export function applyDecorators(...decorators: readonly MethodDecorator[]): MethodDecorator;
export function applyDecorators<Value>(
  ...decorators: readonly ResponseDecorator<Value>[]
): ResponseDecorator<Value>;
export function applyDecorators(
  ...decorators: readonly ((target: Constructor) => unknown)[]
): (target: Constructor) => void;
export function applyDecorators(...given: readonly unknown[]): unknown {
  if (isDeclaration(given)) {
    const example = '@applyDecorators() with decorators as its arguments';
    recordFault(given, (spell) => missingParentheses('applyDecorators', example, spell));
    return undefined;
  }
  const decorator = (...declaration: Declaration): unknown => {
    const [, key, third] = declaration;
    assertExperimental('applyDecorators', key);
    if (typeof third === 'number') {
      recordFault(declaration, () => NOT_FOR_PARAMETERS);
      return undefined;
    }
    return decorateWith('applyDecorators()', given, declaration, () => 'a decorator');
  };
  return describeLike(decorator, APPLIED);
}

const APPLIED = createMark('applyDecorators');

describe(applyDecorators, { role: 'decoratorFactory', name: '@applyDecorators()' });

const NOT_FOR_PARAMETERS = {
  code: 'DECORATOR_PLACE',
  problem: 'applyDecorators() cannot decorate a parameter.',
  fix: 'write the decorators of a parameter one after the other.',
};

/**
 * Creates a function that creates decorators, and reports at startup where its parentheses are missing.
 *
 * @param example - How to write the decorator, such as `@Roles('admin')`.
 * @param create - Creates the decorator from its arguments. A class cannot be its only argument.
 */
export function createDecoratorFactory<
  Args extends readonly unknown[],
  Decorator extends ClassDecorator | MethodDecorator,
>(example: string, create: (...args: Args) => Decorator): (...args: Args) => Decorator {
  const [name = ''] = example.slice(1).split('(');
  const mark = createMark(name);
  const bare: (...args: Args) => Decorator = createDecorator({
    name,
    target: CLASS_OR_METHOD,
    takes: Number.POSITIVE_INFINITY,
    example,
    read: (spell) => ({ faults: [missingParentheses(name, example, spell)] }),
  });
  // A name, because the call site of a decorator is the nearest function without one.
  const factory = function factory(...args: Args): Decorator {
    const given: readonly unknown[] = args;
    const isBare = isDeclaration(given) || (given.length === 1 && isClass(given[0]));
    if (isBare) return bare(...args);
    const decorator = create(...args);
    // Another decorator, such as that of UseGuard(), has the name of that one.
    const { role = 'decorator' } = descriptionOf(decorator) ?? {};
    const isNamed = role === 'decorator' && Object.isExtensible(decorator);
    return isNamed ? describeLike(decorator, mark) : decorator;
  };
  return describe(factory, { role: 'decoratorFactory', name: example });
}

/** Options of {@link createRouteMetadata}. */
export interface RouteMetadataOptions<Value> {
  /**
   * Merges two values of one route: those of a class and its method, of a base class and a class, or of an
   * overridden method and a method. Called at startup. By default, the inner value replaces the outer one.
   */
  readonly merge?: (outer: Value, inner: Value) => Value;
  /**
   * The guard without which the value has no effect. The startup warns about every route that has a value but
   * not this guard, and rejects one that has no guards, unless the value exempts it. By default, it does not
   * check that anything reads the value.
   */
  readonly guard?: Guard;
  /**
   * The `name` in the description of such guards, if a factory creates them: see `describe()` of
   * `@fairlead/core/extend`. Guards with that name in `after` let exempt routes pass, too.
   */
  readonly describedGuard?: string;
  /**
   * Whether the guard lets every request to a route with this value pass. `describeRoutes()` and OpenAPI
   * documents then omit the guard from that route. A string lets them pass, too: it is the reason, which becomes the
   * option `public` of the route. By default, the guard checks all routes.
   */
  readonly exempts?: (value: Value) => boolean | string;
}

/** Marks a decorator that may exempt a route from guards, so that what they set in `ctx.state` may be missing. */
export interface Exemption {
  /** Exists only in types. */
  readonly '~exempts': true;
}

/**
 * A decorator created by {@link createRouteMetadata}. Its `get` reads the values that it sets.
 *
 * @typeParam Effect - {@link Exemption}, if it may exempt routes.
 */
export interface RouteMetadata<Value, Effect = unknown> {
  /** Sets a value for every route of a class, or for those of one method. */
  (value: Value): ClassDecorator & MethodDecorator & Effect;
  /** The name passed to `createRouteMetadata`. */
  readonly name: string;
  /**
   * Reads the value of a route: the method's, or else the class's. With `merge`, both merged.
   *
   * @param source - The context, within the route's middleware, guards, parameters, interceptors
   *   and method; or the route's definition.
   * @returns Undefined if no decorator set a value, and before a route has matched.
   */
  get(source: AnyContext | { readonly metadata: RouteValues }): Value | undefined;
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
  options: RouteMetadataOptions<Value> & Required<Pick<RouteMetadataOptions<Value>, 'exempts'>>,
): RouteMetadata<Value, Exemption>;
export function createRouteMetadata<Value>(
  name: string,
  options?: RouteMetadataOptions<Value>,
): RouteMetadata<Value>;
export function createRouteMetadata<Value>(
  name: string,
  options: RouteMetadataOptions<Value> = {},
): RouteMetadata<Value> {
  throwProblems(findCreationErrors(name, options));
  const { merge } = options;
  const decorate: (value: Value) => ClassDecorator & MethodDecorator = createDecorator({
    name,
    target: CLASS_OR_METHOD,
    takes: 1,
    example: `@${name}(value)`,
    read: (_spell, value) => ({
      apply: ({ values }) => {
        const isMerged = merge !== undefined && values.has(metadata);
        // Only this decorator sets values under this key.
        const merged = isMerged ? merge(value as Value, values.get(metadata) as Value) : value;
        return { values: new Map(values).set(metadata, merged) };
      },
    }),
  });
  const get: RouteMetadata<Value>['get'] = (source) => {
    const values = 'metadata' in source ? source.metadata : routeValues(source);
    return values?.get(metadata) as Value | undefined;
  };
  const reader = createReader(options);
  const metadata: RouteMetadata<Value> = Object.defineProperty(
    Object.assign(decorate, { get, ...(merge && { merge }), ...(reader && { reader }) }),
    'name',
    { value: name },
  );
  return metadata;
}

/** Creates what finds the guard that reads a value; undefined if no guard does. */
function createReader<Value>({
  guard,
  describedGuard,
  exempts = () => false,
}: RouteMetadataOptions<Value>): ValueReader | undefined {
  if (guard === undefined && describedGuard === undefined) return undefined;
  return Object.freeze<ValueReader>({
    name: describedGuard ?? guardName(guard as Guard, 0),
    matches: (reference) =>
      (guard !== undefined && isGuard(guard, reference)) ||
      (describedGuard !== undefined && descriptionOf(reference)?.name === describedGuard),
    // Only the decorator sets values under its key.
    exempts: (value) => isExempting(exempts(value as Value)),
    reason: (value) => {
      const reason = exempts(value as Value);
      return typeof reason === 'string' ? reason : undefined;
    },
    contradicts: (reference) => {
      const { name, after = [] } = descriptionOf(reference) ?? {};
      return describedGuard !== undefined && after.includes(describedGuard) ? name : undefined;
    },
  });
}

function isExempting(result: unknown): boolean {
  return result === true || typeof result === 'string';
}

/** Whether a reference is a guard, or a subclass, or an instance from another token, which do the work of a class. */
function isGuard(guard: Guard, reference: unknown): boolean {
  if (reference === guard) return true;
  if (!isClass(guard)) return false;
  return reference instanceof guard || Object(reference).prototype instanceof guard;
}

const ROUTE_METADATA_OPTIONS: Kinds<RouteMetadataOptions<unknown>> = {
  merge: fn,
  guard: kind('a guard: a function, a class or a token', (value) => isReference('guard', value)),
  describedGuard: nonEmptyString,
  exempts: fn,
};

function findCreationErrors(
  name: unknown,
  options: Pick<RouteMetadataOptions<never>, 'guard' | 'describedGuard' | 'exempts'>,
): ControllerError[] {
  const call = 'createRouteMetadata()';
  const errors = findOptionErrors<object>(call, options, ROUTE_METADATA_OPTIONS);
  if (options?.exempts !== undefined && !(options.guard ?? options.describedGuard)) {
    const text = `${call} has the option exempts, but no guard. Pass the guard that exempts routes as guard.`;
    errors.push(optionError(text));
  }
  if (typeof name === 'string') return errors;
  const text = `name of ${call} must be a string: got ${describeValue(name)}.`;
  return [optionError(text), ...errors];
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
): (...values: readonly unknown[]) => unknown {
  if (typeof extract !== 'function' || isClass(extract)) {
    const title = `createCustomParamDecorator() cannot use ${describeValue(extract)}.`;
    throw optionError(errorText(title, 'pass a function (ctx) => value.'));
  }
  const name = extract.name || 'CustomParam';
  return createDecorator({
    name,
    target: PARAMETER,
    takes: 2,
    isBare: true,
    read: (spell, first, second, { length }) => {
      const hasData = extract.length > 1 || length > 1 || typeof first !== 'object';
      const [data, options] = hasData ? [first, second] : [undefined, first];
      const call = spell(data === undefined ? `@${name}()` : `@${name}(…)`);
      const bound = data === undefined ? extract : (ctx: Context) => extract(ctx, data);
      return readParameter(call, { source: 'custom', extract: bound }, options);
    },
  });
}

describeFactories(createDecoratorFactory, createRouteMetadata, createCustomParamDecorator);
