import type { Route, Router } from '@fairlead/core';
import type { Constructor, Token } from '@fairlead/di';
import type { BuiltRoute, RegisteredController } from '../definition/built-route.js';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import type { ControllerError } from '../errors.js';
import type { Guard } from '../metadata/references.js';

/** Finds mistakes, which fail the start, or describes doubts, of which it warns. */
export type Rule<Subject, Found extends ControllerError | string> = (
  subject: Subject,
) => readonly Found[];

/** What rules look at, by the step of the startup. */
export interface Subjects {
  readonly controller: ControllerDefinition;
  /** All controllers of an application. */
  readonly application: readonly ControllerDefinition[];
  readonly router: Defined;
  readonly placed: Placed;
  /** The classes that the container instantiates. */
  readonly classes: readonly Constructor[];
  readonly instances: Instanced;
  readonly built: Built;
  readonly mounted: Mounted;
  /** Without mistakes of the step before. */
  readonly guarded: Mounted;
}

/** The controllers of a router, before their instances exist. */
export interface Defined {
  readonly definitions: readonly ControllerDefinition[];
  readonly router: Router;
  readonly prefix: string;
  /** Those of all controllers. */
  readonly guards: readonly Guard[];
}

/** The controllers of a plugin, as far as it is known where they are mounted. */
export interface Placed extends Pick<Defined, 'definitions' | 'prefix'> {
  /**
   * The prefixes at which the router is mounted so far. Without any, rules judge by what is likely. Undefined for what
   * no prefix can change.
   */
  readonly mounts: readonly string[] | undefined;
}

/** A controller, with what the container has for the tokens of its guards. */
export interface Instanced {
  readonly definition: ControllerDefinition;
  /** Returns the instance of a token if it is shared, or an object of the class of its instances. */
  readonly resolved: (token: unknown) => unknown;
}

/** The controllers of a router, with what the container has for the tokens of their guards. */
export interface Built extends Pick<Instanced, 'resolved'> {
  readonly controllers: readonly ControllerDefinition[];
  /** Those of all controllers. */
  readonly guards: readonly Guard[];
  /** Returns the providers of a token, if the container tells. */
  readonly providersOf: (token: Token) => readonly object[];
}

/** Mounted routes by built route. A route has several if its router is mounted at several prefixes. */
export type MountedRoutes = ReadonlyMap<BuiltRoute, readonly Route[]>;

/** The controllers of a plugin in an application. */
export interface Mounted {
  readonly controllers: readonly RegisteredController[];
  readonly router: Router;
  /** Those of all controllers. */
  readonly guards: readonly Guard[];
  readonly mounted: MountedRoutes;
  /** All routes of the application. */
  readonly routes: readonly Route[];
  /** Lists the instances that a controller depends on, as far as they exist. */
  readonly instancesOf: (controller: Constructor) => readonly unknown[];
}

/** Returns one route of each method: a method with several has its problems and parameters only once. */
export function distinctMethods(routes: readonly RouteDefinition[]): readonly RouteDefinition[] {
  return [...new Map(routes.map((route) => [route.methodName, route])).values()];
}

/** Returns one route of each decorator of a method: its paths have their options in common. */
export function distinctDecorators(routes: readonly RouteDefinition[]): readonly RouteDefinition[] {
  return byMethod(routes).flatMap((ofMethod) => [
    ...new Map(ofMethod.map((route) => [route.options, route])).values(),
  ]);
}

/** The routes of a method. */
export type Siblings<Own extends RouteDefinition> = readonly [Own, ...Own[]];

/** Groups routes by their method. */
export function byMethod<Own extends RouteDefinition>(
  routes: readonly Own[],
): readonly Siblings<Own>[] {
  const groups = Map.groupBy(routes, ({ methodName }) => methodName);
  return [...groups.values()] as [Own, ...Own[]][];
}
