import { isStandardSchema, type ResponseSchemas } from '@fairlead/core';
import { expandPath, joinPaths } from '@fairlead/core/extend';
import type { Constructor } from '@fairlead/di';
import { describeValue, type Locate } from '@fairlead/options';
import { NoRoutesError, NotAControllerError, throwProblems } from '../errors.js';
import { createMethodRunner } from '../invocation/method.js';
import {
  type ClassMetadata,
  type HeaderMetadata,
  inheritedMetadata,
  lineage,
  locationOf,
  type MethodMetadata,
  mergeReferences,
  ownMetadata,
  parameterTypes,
  type RedirectMetadata,
  type RouteDecoratorOptions,
  type RouteMethod,
  type RouteValues,
  type UnreturnedRoute,
  valuesOf,
} from '../metadata/class-metadata.js';
import { type Mistake, mistakesOf } from '../metadata/mistakes.js';
import { isUnvalidated, type ParameterDefinition } from '../metadata/parameter.js';
import type { Guard, InterceptorReference, MiddlewareReference } from '../metadata/references.js';
import type { Runner } from '../metadata/runner.js';
import type { Style } from '../metadata/style.js';

/** One route of a controller, from its decorators and those of its base classes. */
export interface RouteDefinition {
  /** In upper case; `ALL` for every method. */
  readonly method: RouteMethod;
  /**
   * Version, unless requests name it, controller prefix and the route's own path, joined: `/v2/users/:id`. A path with
   * an optional parameter has a route for each pattern that it stands for.
   */
  readonly path: string;
  /** Name of the method that handles requests. */
  readonly methodName: string | symbol;
  /** Class and method, such as `UsersController.create`. */
  readonly handler: string;
  /** The decorated parameters of the method, in their order. */
  readonly parameters: readonly ParameterDefinition[];
  /** The guards of base classes, the class, overridden methods and the method, in this order. */
  readonly guards: readonly Guard[];
  /** The class's middleware, then the method's, in the order of guards. */
  readonly middleware: readonly MiddlewareReference[];
  /** The class's interceptors, then the method's, the outermost first. */
  readonly interceptors: readonly InterceptorReference[];
  /** Headers of `@SetHeader()`, from top to bottom. */
  readonly headers: readonly HeaderMetadata[];
  /** Redirect of `@Redirect()`. */
  readonly redirect: RedirectMetadata | undefined;
  /** Status of `@HttpCode()`, or else of the route's options: 200 to 599. */
  readonly status: number | undefined;
  /** One line of documentation. */
  readonly summary: string | undefined;
  /** Documentation. */
  readonly description: string | undefined;
  /** Groups that the route belongs to. */
  readonly tags: readonly string[];
  /** Whether the route is deprecated. */
  readonly deprecated: boolean;
  /** Identifies the route in generated documents and clients. */
  readonly operationId: string | undefined;
  /** Whether generated documents leave the route out. */
  readonly hidden: boolean;
  /** A JSON Schema or a Standard Schema, or one for each status. */
  readonly response: ResponseSchemas | undefined;
  /** The second argument of the route decorator. */
  readonly options: RouteDecoratorOptions;
  /** Values by decorator of `createRouteMetadata`. The method's override the class's, or merge. */
  readonly metadata: RouteValues;
  /** @internal */
  readonly runner: Runner;
  /** @internal Finds where the method or the function is declared; if it is inherited, the class. */
  readonly locate: Locate;
}

/** A controller, from its decorators and those of its base classes. */
export interface ControllerDefinition {
  /** The class. */
  readonly controller: Constructor;
  /** Name of the class. */
  readonly name: string;
  /** Prefix of `@Controller()`; empty by default. */
  readonly prefix: string;
  /** Version of `@Controller()`. */
  readonly version: string | undefined;
  /** At least one. */
  readonly routes: readonly RouteDefinition[];
  /** @internal The version that requests name; undefined if it is part of paths. */
  readonly requestVersion: string | undefined;
  /** @internal Its words in messages. */
  readonly style: Style;
  /** @internal Finds where it declares a method or a route; by default, and if that is inherited, where it is declared. */
  readonly locate: (member?: string | symbol) => string | undefined;
  /** @internal Whether the paths of its routes are known. Otherwise, it has a problem. */
  readonly hasPath: boolean;
  /** @internal The routes that are not registered, because `routes` did not return them. */
  readonly unreturned: readonly UnreturnedRoute[];
  /** @internal The class and its base classes with metadata, the furthest first. */
  readonly levels: readonly Level[];
  /** @internal Its methods and those of its base classes that have decorators, and a route or not. */
  readonly methods: ReadonlyMap<string | symbol, Readonly<MethodMetadata>>;
  /** @internal The mistakes in the use of its decorators, and in those of its base classes. */
  readonly mistakes: readonly Mistake[];
}

/** What a class itself declares. */
interface Level extends Pick<Readonly<ClassMetadata>, 'guards' | 'values' | 'methods'> {
  readonly name: string;
}

/**
 * Reads the decorators of a class and its base classes. The rules in `checks/` report their mistakes.
 *
 * @param isInPath - Whether its version is part of paths.
 * @throws {ControllerError} 500, when it is not a class with `@Controller()` and routes. If a mistake in the use of
 *   a decorator explains the lack of routes, its error.
 */
export function definitionOf(target: Constructor, isInPath = true): ControllerDefinition {
  if (typeof target !== 'function') throw notAClass(target);
  const name = nameOf(target);
  const own = ownMetadata(target);
  if (own?.controller === undefined) throw new NotAControllerError(name);
  const { controller, unreturned = [] } = own;
  const { prefix, version } = controller;
  const requestVersion = isInPath ? undefined : version?.replaceAll('/', '');
  const start = joinPaths(isInPath ? (version ?? '') : '', prefix);
  const inherited = inheritedMetadata(target);
  const mistakes = mistakesOf(target);
  const locate = (member?: string | symbol) => locationOf(target, member);
  const routes = [...inherited.methods].flatMap(([methodName, own]) => {
    const handler = `${name}.${String(methodName)}`;
    const ofMethod = {
      methodName,
      handler,
      parameters: Object.freeze(defineParameters(target, methodName, own)),
      ...mergeReferences(inherited, own),
      headers: Object.freeze([...own.headers]),
      redirect: own.redirect,
      metadata: valuesOf(inherited.values, own),
      runner: own.runner ?? createMethodRunner(target, methodName, handler),
      locate: () => locate(methodName),
    };
    const expanded = own.routes.flatMap(({ path, ...route }) =>
      expandPath(path)
        .flatMap((end) => expandPath(joinPaths(start, end)))
        .map((one) => ({ ...route, path: one })),
    );
    return expanded.map(({ method, path, options }) =>
      Object.freeze<RouteDefinition>({
        ...ofMethod,
        method,
        path,
        status: own.status ?? options.status,
        summary: options.summary,
        description: options.description,
        tags: Object.freeze([...(options.tags ?? [])]),
        deprecated: Boolean(options.deprecated),
        operationId: options.operationId,
        hidden: options.hidden ?? false,
        response: options.response,
        options,
      }),
    );
  });
  if (routes.length === 0) {
    const { addRoute, explainsLack } = controller.style;
    const isExplained = mistakes.some(({ member }) => explainsLack(member));
    const lack = isExplained ? [] : [new NoRoutesError(name, locate(), addRoute)];
    throwProblems([...mistakes.map(({ toError }) => toError()), ...lack]);
  }
  return Object.freeze({
    controller: target,
    name,
    prefix,
    version,
    requestVersion,
    routes: Object.freeze(routes),
    style: controller.style,
    locate,
    hasPath: controller.hasPath,
    unreturned,
    levels: Object.freeze(levelsOf(target)),
    methods: inherited.methods,
    mistakes: Object.freeze(mistakes),
  });
}

function nameOf(target: object): string {
  return (typeof target === 'function' && target.name) || '(anonymous class)';
}

function levelsOf(target: Constructor): Level[] {
  return lineage(target).flatMap((level) => {
    const metadata = ownMetadata(level);
    if (metadata === undefined) return [];
    const { guards, values, methods } = metadata;
    return Object.freeze({ name: nameOf(level), guards, values, methods });
  });
}

function notAClass(value: unknown): NotAControllerError {
  // At the start of a sentence.
  const name = describeValue(value).replace(/^an? /, (article) => `A${article.slice(1)}`);
  const fix =
    value === undefined
      ? 'pass a class. If an import cycle is the cause, move the import to a separate file.'
      : 'pass a class with @Controller(), or the result of defineController().';
  return new NotAControllerError(name, fix);
}

function defineParameters(
  target: Constructor,
  methodName: string | symbol,
  { parameters }: Readonly<MethodMetadata>,
): ParameterDefinition[] {
  let types: readonly unknown[] | undefined;
  const defined = [...parameters].map(([index, parameter]): ParameterDefinition => {
    if (!isUnvalidated(parameter)) return Object.freeze({ ...parameter, index, type: undefined });
    types ??= parameterTypes(target, methodName);
    const type = types[index];
    const schema = isStandardSchema(type) ? type : undefined;
    return Object.freeze({ ...parameter, index, schema, type });
  });
  return defined.sort((a, b) => a.index - b.index);
}
