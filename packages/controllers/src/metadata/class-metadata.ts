import 'reflect-metadata';
import type { AnyContext, RouteDocumentation, RouteOptions } from '@fairlead/core';
import { descriptionOf } from '@fairlead/core/extend';
import type { Constructor, Dependency } from '@fairlead/di';
import { type CallSite, describeCallSite } from '@fairlead/options';
import type { ControllerError } from '../errors.js';
import { mayHaveField } from './fields.js';
import type { ParameterMetadata } from './parameter.js';
import type { SharedReferences } from './references.js';
import type { Runner } from './runner.js';
import { CLASS_STYLE, type Style } from './style.js';

/** Method of a route; `ALL` matches every method. */
export type RouteMethod =
  | ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'QUERY')
  | ('HEAD' | 'OPTIONS' | 'ALL');

/** Second argument of the route decorators. */
export interface RouteDecoratorOptions
  extends RouteDocumentation,
    Pick<RouteOptions, 'status' | 'response' | 'invalidParams'> {}

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
  /** Integer from 300 to 399. By default, the status of the route if it is one, or else 302. */
  readonly statusCode: number | undefined;
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
  /** Why everyone may call a route with this value, if the value says so. */
  reason(value: unknown): string | undefined;
  /**
   * Names a guard that needs the one that reads the value, such as `@Roles()`. It contradicts an exempting value of
   * the same method, and overrules that of the class. It lets requests to exempt routes pass.
   */
  contradicts(guard: unknown): string | undefined;
}

/** Values that decorators of `createRouteMetadata` attach to a route, by decorator. */
export type RouteValues = ReadonlyMap<RouteMetadataKey, unknown>;

/** Metadata that classes and methods have in common. */
type Layer = { -readonly [Kind in keyof SharedReferences]: SharedReferences[Kind] } & {
  values: RouteValues;
};

/** Metadata of one method of one class, without inherited metadata. */
export interface MethodMetadata extends Layer {
  routes: readonly RouteDeclaration[];
  parameters: ReadonlyMap<number, ParameterMetadata>;
  headers: readonly HeaderMetadata[];
  /** What the method does not inherit from the methods it overrides. */
  skips: ReadonlySet<keyof SharedReferences>;
  redirect: RedirectMetadata | undefined;
  status: number | undefined;
  /** What handles requests. Default: the method. */
  runner?: Runner;
  /** What a further override inherits, if this one skips some of it. */
  unskipped?: SharedReferences;
}

/** Metadata of one class, without inherited metadata. */
export interface ClassMetadata extends Layer {
  /** Set by `@Controller()` or `defineController()`; undefined if the class is not a controller. */
  controller:
    | {
        readonly prefix: string;
        readonly version: string | undefined;
        readonly callSite: CallSite;
        /** Whether prefix and version are known. Otherwise, the class has a problem. */
        readonly hasPath: boolean;
        readonly style: Style;
        /** What its constructor takes, unless each container knows. */
        readonly inject?: readonly Dependency[];
      }
    | undefined;
  readonly methods: Map<string | symbol, MethodMetadata>;
  /** The mistakes in the use of its decorators. See `mistakesOf()`. */
  readonly problems: DecoratorProblem[];
  /** The routes that `routes` of a value created, but did not return. */
  unreturned?: readonly UnreturnedRoute[];
}

/** A route that is not registered, because `routes` of `defineController()` did not return it. */
export interface UnreturnedRoute {
  /** Such as `get('/:id')`. */
  readonly call: string;
  readonly site: CallSite;
}

/** A mistake in the use of a decorator, which the startup reports. */
export interface DecoratorProblem {
  /** The method or property that the decorator belongs to; undefined for the class. */
  readonly member: string | symbol | undefined;
  /** Returns always the same error, because a base class has it in common with its subclasses. */
  readonly toError: (locationOfClass: string | undefined) => ControllerError;
}

export type InheritedMetadata = Readonly<Omit<ClassMetadata, 'controller'>>;

/** A global symbol, so that two copies of this package share metadata. */
const METADATA = Symbol.for('fairlead:controllers');

/** A global symbol, so that two copies of this package share values, and no user's key collides. */
const ROUTE_VALUES = Symbol.for('fairlead:route-values');

const NO_LAYER: Layer = Object.freeze({
  guards: [],
  middleware: [],
  interceptors: [],
  values: new Map(),
});

const NO_METHOD: MethodMetadata = Object.freeze({
  ...NO_LAYER,
  routes: [],
  parameters: new Map(),
  headers: [],
  skips: new Set<never>(),
  redirect: undefined,
  status: undefined,
});

export function ownMetadata(target: object): ClassMetadata | undefined {
  return Reflect.getOwnMetadata(METADATA, target) as ClassMetadata | undefined;
}

/** How a class is written. One that is no controller may be the base class of a decorated one. */
export function styleOf(target: object): Style {
  return ownMetadata(target)?.controller?.style ?? CLASS_STYLE;
}

/** Returns the metadata of a class for a decorator to extend. Creates it if absent. */
export function classMetadata(target: object): ClassMetadata {
  const present = ownMetadata(target);
  if (present !== undefined) return present;
  const created = { ...NO_LAYER, controller: undefined, methods: new Map(), problems: [] };
  Reflect.defineMetadata(METADATA, created, target);
  return created;
}

/** Returns the metadata of a method for a decorator to extend. Creates it if absent. */
export function methodMetadata(target: object, key: string | symbol): MethodMetadata {
  const { methods } = classMetadata(target);
  const metadata = methods.get(key) ?? { ...NO_METHOD };
  methods.set(key, metadata);
  return metadata;
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
 * neither the skips of the method that it overrides, nor a value that exempts that method from a guard. A field that
 * replaces a method is an override, too.
 */
export function inheritedMetadata(target: object): InheritedMetadata {
  const levels = metadataChain(target);
  const own = ownMetadata(target);
  if (own !== undefined && levels.length === 1) return own;
  const methods = new Map<string | symbol, MethodMetadata>();
  let values: RouteValues = new Map();
  for (const level of lineage(target)) {
    const added = ownMetadata(level);
    for (const key of new Set([...methods.keys(), ...(added?.methods.keys() ?? [])])) {
      const base = methods.get(key);
      const method = added?.methods.get(key);
      if (base === undefined) {
        methods.set(key, method ?? NO_METHOD);
        continue;
      }
      const isDeclared = hasMember(level, key) || mayHaveField(level, key);
      if (isDeclared || method !== undefined)
        methods.set(key, overrideMethod(base, method ?? NO_METHOD, isDeclared));
    }
    values = mergeValues(withoutExemptions(values), added?.values ?? new Map());
  }
  return {
    ...levels.reduce(mergeReferences, NO_LAYER),
    values,
    methods,
    problems: levels.flatMap((level) => level.problems),
  };
}

/** Lists the classes whose own metadata {@link metadataChain} lists, in the same order. */
export function decoratedLineage(target: object): object[] {
  return lineage(target).filter((level) => ownMetadata(level) !== undefined);
}

/** Lists the own metadata of a class and its base classes, from the furthest base to `target`. */
export function metadataChain(target: object): ClassMetadata[] {
  return lineage(target).flatMap((level) => ownMetadata(level) ?? []);
}

function withoutExemptions(values: RouteValues): RouteValues {
  return new Map([...values].filter(([key, value]) => key.reader?.exempts(value) !== true));
}

/** Returns the values of a method, and those of its class that neither its values nor its guards overrule. */
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

/** Merges values with those of an outer layer: a base class, the class of a method, or an overridden method. */
function mergeValues(outer: RouteValues, inner: RouteValues): RouteValues {
  const values = new Map(outer);
  for (const [key, value] of inner) {
    values.set(key, key.merge && values.has(key) ? key.merge(values.get(key), value) : value);
  }
  return values;
}

/**
 * Adds guards, middleware and interceptors to those of an outer layer: of the plugin, or as for
 * {@link mergeValues}. A guard or an interceptor that declares a slot replaces the outer ones with the same slot.
 */
export function mergeReferences(
  outer: SharedReferences,
  inner: SharedReferences,
): SharedReferences {
  return {
    guards: mergeSlots(outer.guards, inner.guards),
    middleware: Object.freeze([...outer.middleware, ...inner.middleware]),
    interceptors: mergeSlots(outer.interceptors, inner.interceptors),
  };
}

function mergeSlots<Reference>(
  outer: readonly Reference[],
  inner: readonly Reference[],
): readonly Reference[] {
  const slotOf = (one: Reference): string | undefined => descriptionOf(one)?.slot;
  const slots = new Set(inner.map(slotOf));
  const isKept = (slot: string | undefined): boolean => slot === undefined || !slots.has(slot);
  return Object.freeze([...outer.filter((one) => isKept(slotOf(one))), ...inner]);
}

/** Lists a class and what it inherits from, from the furthest to `target`. */
export function lineage(target: object): object[] {
  const levels: object[] = [];
  let level: object | null = target;
  for (; level !== null; level = Object.getPrototypeOf(level)) levels.unshift(level);
  return levels;
}

function hasMember(level: object, key: string | symbol): boolean {
  return Object.hasOwn(Reflect.get(level, 'prototype') ?? {}, key);
}

/** Finds the class whose method a class has: the nearest one that declares or decorates it. */
export function ownerOf(target: object, key: string | symbol): object {
  const owner = lineage(target).findLast(
    (level) => hasMember(level, key) || ownMetadata(level)?.methods.has(key),
  );
  return owner ?? target;
}

/** @param isDeclared - Whether the class itself declares the method, or a field, and does not only decorate it. */
function overrideMethod(
  base: MethodMetadata,
  own: MethodMetadata,
  isDeclared: boolean,
): MethodMetadata {
  const unskipped = mergeReferences(base.unskipped ?? base, own);
  const listed = (kind: keyof SharedReferences) => (own.skips.has(kind) ? own : unskipped);
  return {
    routes: own.routes.length > 0 ? overrideRoutes(base.routes, own.routes) : base.routes,
    parameters: own.parameters.size > 0 ? own.parameters : base.parameters,
    guards: listed('guards').guards,
    middleware: listed('middleware').middleware,
    interceptors: listed('interceptors').interceptors,
    unskipped,
    headers: own.headers.length > 0 ? own.headers : base.headers,
    values: mergeValues(isDeclared ? withoutExemptions(base.values) : base.values, own.values),
    skips: own.skips,
    redirect: own.redirect ?? base.redirect,
    status: own.status ?? base.status,
  };
}

/**
 * Adds the options of the overridden routes to those of the overriding ones, which win: of the first one with the same
 * HTTP method, or else of the first one.
 */
function overrideRoutes(
  base: readonly RouteDeclaration[],
  own: readonly RouteDeclaration[],
): readonly RouteDeclaration[] {
  // The paths of one decorator have one object in common.
  const merged = new Map<object, RouteDecoratorOptions>();
  return own.map((route) => {
    const overridden = base.find(({ method }) => method === route.method) ?? base[0];
    if (overridden === undefined) return route;
    const options =
      merged.get(route.options) ?? Object.freeze({ ...overridden.options, ...route.options });
    merged.set(route.options, options);
    return { ...route, options };
  });
}

/** Returns the emitted types of the parameters of a method, by index. Empty without `emitDecoratorMetadata`. */
export function parameterTypes(target: Constructor, key: string | symbol): readonly unknown[] {
  const types: unknown = Reflect.getMetadata('design:paramtypes', target.prototype, key);
  return Array.isArray(types) ? types : [];
}

/** Describes where a controller or one of its methods is declared. An inherited method has the location of the class. */
export function locationOf(
  target: object | undefined,
  method?: string | symbol,
): string | undefined {
  const { controller, methods } = (target && ownMetadata(target)) ?? {};
  const [route] = (method && methods?.get(method)?.routes) || [];
  const callSite = (route ?? controller)?.callSite;
  return callSite && describeCallSite(callSite);
}

export function setRouteValues(ctx: AnyContext, values: RouteValues): void {
  (ctx.state as { [ROUTE_VALUES]?: RouteValues })[ROUTE_VALUES] = values;
}

export function routeValues(ctx: AnyContext): RouteValues | undefined {
  return (ctx.state as { [ROUTE_VALUES]?: RouteValues })[ROUTE_VALUES];
}

/** A global symbol, so that two copies of this package know of the same classes. */
const UNDISCOVERED = Symbol.for('fairlead:undiscovered-controllers');

const shared = globalThis as typeof globalThis & { [UNDISCOVERED]?: Set<object> };

shared[UNDISCOVERED] ??= new Set();

/** The classes with `@Controller()` that discovery has not found, and that are not registered either. */
export const undiscovered: Set<object> = shared[UNDISCOVERED];
