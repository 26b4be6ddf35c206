import 'reflect-metadata';
import type { Context, RouteDocumentation, RouteOptions } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
import { type CallSite, describeCallSite } from '@fairlead/options';
import { ControllerError, errorText } from '../errors.js';
import type { ParameterMetadata } from './parameter.js';
import type { Guard, InterceptorReference, MiddlewareReference } from './references.js';

/** Method of a route; `ALL` matches every method. */
export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'ALL';

/** Second argument of the route decorators. */
export interface RouteDecoratorOptions
  extends RouteDocumentation,
    Pick<RouteOptions, 'status' | 'response'> {}

/** Metadata of a route decorator. */
export interface RouteDeclaration {
  readonly method: RouteMethod;
  readonly path: string;
  readonly options: RouteDecoratorOptions;
  readonly callSite: CallSite;
}

/** Metadata of `@SetHeader()`. */
export interface HeaderMetadata {
  /** In the spelling that is sent. */
  readonly name: string;
  /** Text without control characters. */
  readonly value: string;
}

/** Metadata of `@Redirect()`. */
export interface RedirectMetadata {
  /** Value of `Location`. */
  readonly url: string;
  /** Integer from 300 to 399. */
  readonly statusCode: number;
}

/** Identifies a decorator of `createRouteMetadata`. */
export interface RouteMetadataKey {
  /** Name for tools; need not be unique. */
  readonly name: string;
  /** Merges two values of one route. Without it, the inner value replaces the outer one. */
  merge?(outer: unknown, inner: unknown): unknown;
  /** The guard without which the value has no effect. */
  readonly reader?: ValueReader;
}

/** The guard that reads a value of routes. */
export interface ValueReader {
  /** For messages, such as `jwtGuard()`. */
  readonly name: string;
  /** Whether a guard of a route is the one. */
  matches(guard: unknown): boolean;
  /** Whether the guard lets all requests to a route with this value pass. */
  exempts(value: unknown): boolean;
  /**
   * Names a guard that needs the one that reads the value, such as `@Roles()`. It contradicts an exempting value of
   * the same method, and overrules that of the class. It lets requests to exempt routes pass.
   */
  contradicts(guard: unknown): string | undefined;
}

/** Values that decorators of `createRouteMetadata` attach to a route, by decorator. */
export type RouteValues = ReadonlyMap<RouteMetadataKey, unknown>;

/** The kinds of metadata that an overriding method adds to, rather than replaces. */
export type AdditiveKind = 'guards' | 'middleware' | 'interceptors';

/** Metadata of one method of one class, without inherited metadata. */
export interface MethodMetadata {
  readonly routes: RouteDeclaration[];
  readonly parameters: Map<number, ParameterMetadata>;
  readonly guards: Guard[];
  readonly middleware: MiddlewareReference[];
  readonly interceptors: InterceptorReference[];
  readonly headers: HeaderMetadata[];
  readonly values: Map<RouteMetadataKey, unknown>;
  /** The kinds of metadata that the method does not inherit from the methods it overrides. */
  readonly skips: Set<AdditiveKind>;
  redirect: RedirectMetadata | undefined;
  status: number | undefined;
  /** What a further override inherits, if this one skips some of it. */
  readonly unskipped?: Readonly<Pick<MethodMetadata, AdditiveKind>>;
}

/** Metadata of `@Controller()`. */
interface ControllerMetadata {
  readonly prefix: string;
  readonly version: string | undefined;
  readonly callSite: CallSite;
  /** Whether prefix and version are known. Otherwise, the class has a problem. */
  readonly hasPath: boolean;
}

/** Metadata of one class, without inherited metadata. */
export interface ClassMetadata {
  /** Set by `@Controller()`; undefined if the class is not a controller. */
  controller: ControllerMetadata | undefined;
  readonly guards: Guard[];
  readonly middleware: MiddlewareReference[];
  readonly interceptors: InterceptorReference[];
  readonly values: Map<RouteMetadataKey, unknown>;
  readonly methods: Map<string | symbol, MethodMetadata>;
  /** The mistakes in the use of its decorators. See {@link decoratorErrors}. */
  readonly problems: DecoratorProblem[];
}

/** Metadata of a class, merged with that of its base classes. */
export interface InheritedMetadata {
  readonly guards: readonly Guard[];
  readonly middleware: readonly MiddlewareReference[];
  readonly interceptors: readonly InterceptorReference[];
  readonly values: RouteValues;
  readonly methods: ReadonlyMap<string | symbol, Readonly<MethodMetadata>>;
  readonly problems: readonly DecoratorProblem[];
}

/** A global symbol, so that two copies of this package share metadata. */
const METADATA = Symbol.for('fairlead:controllers');

/** A global symbol, so that two copies of this package share values, and no user's key collides. */
const ROUTE_VALUES = Symbol.for('fairlead:route-values');

/**
 * Checks that a decorator was compiled with `experimentalDecorators`.
 *
 * @param decorator - Its name, for the message.
 * @param second - Its second argument. Standard decorators receive an object with `kind`.
 * @throws {ControllerError} 500 `STANDARD_DECORATOR`, when it is called as a standard decorator.
 */
export function assertExperimental(decorator: string, second: unknown): void {
  if (typeof second !== 'object' || second === null || !('kind' in second)) return;
  const title = `@${decorator}() was compiled as a standard decorator, but it is an experimental one.`;
  const fix = 'set experimentalDecorators and emitDecoratorMetadata to true in tsconfig.json.';
  throw new ControllerError(errorText({ title, fix }), { code: 'STANDARD_DECORATOR' });
}

/**
 * Reads the metadata of a class, without inherited metadata.
 *
 * @returns Undefined if the class has no decorator of this package.
 */
export function ownMetadata(target: object): ClassMetadata | undefined {
  return Reflect.getOwnMetadata(METADATA, target) as ClassMetadata | undefined;
}

/** Returns the metadata of a class for a decorator to extend. Creates it if absent. */
export function classMetadata(target: object): ClassMetadata {
  const present = ownMetadata(target);
  if (present !== undefined) return present;
  const created: ClassMetadata = {
    controller: undefined,
    guards: [],
    middleware: [],
    interceptors: [],
    values: new Map(),
    methods: new Map(),
    problems: [],
  };
  Reflect.defineMetadata(METADATA, created, target);
  return created;
}

/** Returns the metadata of a method for a decorator to extend. Creates it if absent. */
export function methodMetadata(target: object, key: string | symbol): MethodMetadata {
  const { methods } = classMetadata(target);
  const present = methods.get(key);
  if (present !== undefined) return present;
  const created = createMethod();
  methods.set(key, created);
  return created;
}

function createMethod(): MethodMetadata {
  return {
    routes: [],
    parameters: new Map(),
    guards: [],
    middleware: [],
    interceptors: [],
    headers: [],
    values: new Map(),
    skips: new Set(),
    redirect: undefined,
    status: undefined,
  };
}

/**
 * Merges the metadata of a class with that of its base classes.
 *
 * Guards, middleware and interceptors add up, the base's first, both for classes and for overridden
 * methods. A method can skip those of the methods it overrides. For every other kind, the nearest
 * class that declares it wins, so an overriding method without decorators inherits everything. Each
 * key of `values` is a kind. Its `merge` may combine the values of several classes.
 *
 * Exemptions are never inherited: a subclass does not inherit those of its base class. An override inherits
 * neither the skips of the method that it overrides, nor a value that exempts that method from a guard.
 */
export function inheritedMetadata(target: object): InheritedMetadata {
  const chain = lineage(target);
  const levels = chain.flatMap((level) => ownMetadata(level) ?? []);
  const own = ownMetadata(target);
  if (own !== undefined && levels.length === 1) return own;
  const methods = new Map<string | symbol, MethodMetadata>();
  let values: RouteValues = new Map();
  for (const level of chain) {
    const added = ownMetadata(level);
    for (const key of new Set([...methods.keys(), ...(added?.methods.keys() ?? [])])) {
      const base = methods.get(key);
      const method = added?.methods.get(key);
      const isDeclared = Object.hasOwn(Reflect.get(level, 'prototype') ?? {}, key);
      if (base === undefined) methods.set(key, method ?? createMethod());
      else if (isDeclared || method !== undefined)
        methods.set(key, overrideMethod(base, method ?? createMethod(), isDeclared));
    }
    values = mergeValues(withoutExemptions(values), added?.values ?? new Map());
  }
  return {
    guards: levels.map((level) => level.guards).reduce<readonly Guard[]>(addGuards, []),
    middleware: levels.flatMap((level) => level.middleware),
    interceptors: levels.flatMap((level) => level.interceptors),
    values,
    methods,
    problems: levels.flatMap((level) => level.problems),
  };
}

/** Lists the own metadata of a class and its base classes, from the furthest base to `target`. */
export function metadataChain(target: object): ClassMetadata[] {
  return lineage(target).flatMap((level) => ownMetadata(level) ?? []);
}

function withoutExemptions(values: RouteValues): RouteValues {
  return new Map([...values].filter(([key, value]) => key.reader?.exempts(value) !== true));
}

/**
 * Returns the values of a method: its own, and those of its class that it does not overrule with other values
 * or with a guard.
 */
export function valuesOf(
  ofClass: RouteValues,
  { values, guards }: Pick<MethodMetadata, 'values' | 'guards'>,
): RouteValues {
  const isOverruled = ([key, value]: [RouteMetadataKey, unknown]): boolean => {
    const { reader } = key;
    if (reader?.exempts(value) !== true) return false;
    return guards.some((guard) => reader.contradicts(guard) !== undefined);
  };
  return mergeValues(new Map([...ofClass].filter((entry) => !isOverruled(entry))), values);
}

/**
 * Lists the mistakes in the use of decorators on a class and its base classes.
 *
 * @param target - A class, whether it is a controller or not.
 * @returns One error per mistake. A base class has its errors in common with its subclasses.
 */
export function decoratorErrors(target: object): ControllerError[] {
  return lineage(target).flatMap((level) => {
    const { problems = [] } = ownMetadata(level) ?? {};
    if (problems.length === 0) return [];
    const location = locationOf(level) ?? locationOf(target);
    return problems.map(({ toError }) => toError(location));
  });
}

/**
 * Merges the values of a class or a method with those of an outer one: of a base class, of the class of
 * a method, or of an overridden method.
 */
export function mergeValues(
  outer: RouteValues,
  inner: RouteValues,
): Map<RouteMetadataKey, unknown> {
  const values = new Map(outer);
  for (const [key, value] of inner) {
    values.set(key, key.merge && values.has(key) ? key.merge(values.get(key), value) : value);
  }
  return values;
}

/**
 * Adds guards of a class or a method to those of an outer scope, as for {@link mergeValues}, or of the plugin.
 * One that declares a slot replaces those of the outer scope with the same slot.
 */
export function addGuards(outer: readonly Guard[], inner: readonly Guard[]): Guard[] {
  const slotOf = (guard: Guard): string | undefined => descriptionOf(guard)?.slot;
  const slots = new Set(inner.map(slotOf));
  const isKept = (slot: string | undefined): boolean => slot === undefined || !slots.has(slot);
  return [...outer.filter((guard) => isKept(slotOf(guard))), ...inner];
}

/** Lists a class and what it inherits from, from the furthest to `target`. */
function lineage(target: object): object[] {
  const levels: object[] = [];
  for (let level: object | null = target; level !== null; level = Object.getPrototypeOf(level)) {
    levels.unshift(level);
  }
  return levels;
}

/** @param isDeclared - Whether the class itself declares the method, and does not only decorate it. */
function overrideMethod(
  base: MethodMetadata,
  own: MethodMetadata,
  isDeclared: boolean,
): MethodMetadata {
  const inherited = base.unskipped ?? base;
  const unskipped = {
    guards: addGuards(inherited.guards, own.guards),
    middleware: [...inherited.middleware, ...own.middleware],
    interceptors: [...inherited.interceptors, ...own.interceptors],
  };
  return {
    routes: own.routes.length > 0 ? own.routes : base.routes,
    parameters: own.parameters.size > 0 ? own.parameters : base.parameters,
    guards: own.skips.has('guards') ? own.guards : unskipped.guards,
    middleware: own.skips.has('middleware') ? own.middleware : unskipped.middleware,
    interceptors: own.skips.has('interceptors') ? own.interceptors : unskipped.interceptors,
    unskipped,
    headers: own.headers.length > 0 ? own.headers : base.headers,
    values: mergeValues(isDeclared ? withoutExemptions(base.values) : base.values, own.values),
    skips: own.skips,
    redirect: own.redirect ?? base.redirect,
    status: own.status ?? base.status,
  };
}

/**
 * Returns the classes that the compiler emitted as the types of a method's parameters, by index. Values of
 * other types are not classes of the application. Empty without `emitDecoratorMetadata`.
 */
export function parameterTypes(target: Constructor, key: string | symbol): readonly unknown[] {
  const types: unknown = Reflect.getMetadata('design:paramtypes', target.prototype, key);
  return Array.isArray(types) ? types : [];
}

/**
 * Describes where a controller or one of its methods is declared.
 *
 * @param method - Name of the method. One that the class inherits has the location of the class.
 * @returns A location, such as `src/users.ts:12:1`; undefined if unknown.
 */
export function locationOf(
  target: object | undefined,
  method?: string | symbol,
): string | undefined {
  const { controller, methods } = (target && ownMetadata(target)) ?? {};
  const [route] = (method && methods?.get(method)?.routes) || [];
  const callSite = (route ?? controller)?.callSite;
  return callSite && describeCallSite(callSite);
}

/** Gives the rest of a request's pipeline access to the values of its route. */
export function setRouteValues(ctx: Context, values: RouteValues): void {
  (ctx.state as { [ROUTE_VALUES]?: RouteValues })[ROUTE_VALUES] = values;
}

/** Reads the values of a request's route; undefined if it has none. */
export function routeValues(ctx: Context): RouteValues | undefined {
  return (ctx.state as { [ROUTE_VALUES]?: RouteValues })[ROUTE_VALUES];
}

/** A mistake in the use of a decorator, which the startup reports. */
export interface DecoratorProblem {
  /** The method or property that the decorator belongs to; undefined for the class. */
  readonly member: string | symbol | undefined;
  /**
   * Returns the error, always the same one: a base class has it in common with its subclasses.
   *
   * @param location - Where the class is declared, if known.
   */
  readonly toError: (location: string | undefined) => ControllerError;
}

/**
 * Creates a problem.
 *
 * @param create - Creates the error. Called once, because most problems are found before the location
 *   of the class is known.
 */
export function decoratorProblem(
  member: DecoratorProblem['member'],
  create: DecoratorProblem['toError'],
): DecoratorProblem {
  let error: ControllerError | undefined;
  const toError: DecoratorProblem['toError'] = (location) => {
    error ??= create(location);
    return error;
  };
  return { member, toError };
}

/** A global symbol, so that two copies of this package know of the same classes. */
const UNDISCOVERED = Symbol.for('fairlead:undiscovered-controllers');

const shared = globalThis as typeof globalThis & { [UNDISCOVERED]?: Set<object> };

shared[UNDISCOVERED] ??= new Set();

/** The classes with `@Controller()` that discovery has not found, and that are not registered either. */
export const undiscovered: Set<object> = shared[UNDISCOVERED];
