import type { Context } from '@fairlead/core';
import { traced } from '@fairlead/core/extend';
import {
  type Constructor,
  type ContainerInterface,
  describeToken,
  isToken,
  type RequestScope,
  type Token,
} from '@fairlead/di';
import { describeValue } from '@fairlead/options';
import type { ControllerDefinition } from '../definition/definition.js';
import {
  attempt,
  ControllerResolutionError,
  codeOf,
  errorText,
  explainInstance,
} from '../errors.js';
import { locationOf } from '../metadata/class-metadata.js';
import { lacksMethod } from '../metadata/fields.js';
import {
  CLASS_METHODS,
  explainLackOfMethod,
  isFunctionOf,
  REFERENCE_LISTS,
  type ReferenceFault,
  type ReferenceKind,
  type SharedReferences,
} from '../metadata/references.js';
import type { InstanceSource } from '../metadata/runner.js';
import { explainForeignContext, RequestScopes } from './request-scopes.js';
import { buildValue, isForeignValue, isSharedValue } from './resolve-value.js';

export interface Requirement {
  /** A description, such as `the guard AdminGuard of UsersController.create`. */
  readonly description: string;
  /** The controller that requires it; undefined if all do. */
  readonly controller?: Constructor | undefined;
  /** What the instance has to be, unless it is any object. */
  readonly kind?: ReferenceKind | undefined;
}

/** Resolves controllers, guards, middleware and interceptors from a container, which needs only `resolve`. */
export class Instances {
  readonly container: ContainerInterface;
  readonly scopes: RequestScopes;
  readonly #sources = new Map<Token, InstanceSource>();
  readonly #usable = new Set<Token>();

  /** @param warn - Called when disposing a request scope fails. */
  constructor(container: ContainerInterface, warn: (message: string) => void) {
    this.container = container;
    this.scopes = new RequestScopes(container, warn);
  }

  /**
   * Registers classes that the container does not know, then finds the tokens that it cannot resolve.
   * If the container has no `validate`, it resolves each token to find out.
   */
  check(tokens: ReadonlyMap<Token, Requirement>): readonly Error[] {
    const { container } = this;
    for (const token of tokens.keys()) {
      this.#usable.add(token);
      if (typeof token !== 'function' || isForeignValue(container, token)) continue;
      const target = token as Constructor;
      if (container.registerDefault !== undefined) container.registerDefault(target);
      else if (!(container.has?.(target) ?? true))
        container.register?.(target, { useClass: target });
    }
    const incomplete = this.#findIncomplete(tokens);
    return [...incomplete, ...this.#findUnresolvable(tokens), ...this.#findFaults(tokens)];
  }

  /** Finds what classes know to be wrong before they are built, such as variables of a configuration. */
  #findFaults(tokens: ReadonlyMap<Token, Requirement>): readonly Error[] {
    const faults = new Map(this.classesOf([...tokens.keys()]).map((one) => [one, faultsOf(one)]));
    const found = [...faults.values()].flat();
    const isFaulty = (one: Constructor) => faults.get(one)?.length !== 0;
    if (found.length > 0) this.#exclude(tokens, (token) => this.classesOf([token]).some(isFaulty));
    return found;
  }

  /** Finds classes that the container would instantiate, although they lack the method of their kind. */
  #findIncomplete(tokens: ReadonlyMap<Token, Requirement>): readonly Error[] {
    return [...tokens].flatMap(([token, requirement]) => {
      const { kind } = requirement;
      const target = this.#toBuild(token);
      if (kind === undefined || target === undefined) return [];
      if (!lacksMethod(target, CLASS_METHODS[kind])) return [];
      this.#usable.delete(token);
      const { problem, fix } = explainLackOfMethod(kind, token, target);
      return resolutionError(requirement, errorText(problem, fix));
    });
  }

  /** Returns the class that the container would instantiate for a token, if that is known. */
  #toBuild(token: Token): Constructor | undefined {
    const { container } = this;
    if (container.isBuilt?.(token) === true) return undefined;
    const { type } = this.providersOf(token);
    return type ?? container.classesOf?.([token]).find((one) => one === token);
  }

  #findUnresolvable(all: ReadonlyMap<Token, Requirement>): readonly Error[] {
    const { container } = this;
    const tokens = new Map([...all].filter(([token]) => this.isUsable(token)));
    if (container.validate === undefined) return this.#tryAll(tokens);
    const problems = container.validate([...tokens.keys()]);
    if (problems.length === 0) return this.#findForeignContext(tokens);
    this.#exclude(tokens, (token) => container.validate?.([token]).length !== 0);
    return problems.map((problem) => resolutionError(requirementOf(problem, tokens), problem));
  }

  /** Finds the first token whose graph contains the `RequestContext` of another copy of this package. */
  #findForeignContext(tokens: ReadonlyMap<Token, Requirement>): ControllerResolutionError[] {
    const explain = (roots: readonly Token[]): string | undefined =>
      this.classesOf(roots).map(explainForeignContext).find(Boolean);
    if (explain([...tokens.keys()]) === undefined) return [];
    const found = [...tokens].flatMap(([token, requirement]) => {
      const reason = explain([token]);
      return reason === undefined ? [] : resolutionError(requirement, reason);
    });
    return found.slice(0, 1);
  }

  /** Lists the classes that the container instantiates for the tokens, or the classes among them. */
  classesOf(tokens: readonly Token[]): readonly Constructor[] {
    const isClass = (token: Token): token is Constructor => typeof token === 'function';
    return this.container.classesOf?.(tokens) ?? tokens.filter(isClass);
  }

  /** Builds all shared instances that the tokens lead to, except those in which {@link check} has found a problem. */
  async build(tokens: ReadonlyMap<Token, Requirement>): Promise<ControllerResolutionError[]> {
    const { container } = this;
    const initialize = async (_ctx: undefined, sound: readonly Token[]) =>
      container.initialize?.(sound, { singletons: 'all' });
    try {
      const sound = [...tokens.keys()].filter((token) => this.isUsable(token));
      await traced('container', 'singletons', initialize)(undefined, sound);
      return [];
    } catch (error) {
      const isPerRequest = (token: Token) => container.isShared?.(token) === false;
      this.#exclude(tokens, (token) => !(container.isBuilt?.(token) || isPerRequest(token)));
      return problemsOf(error).map((problem) =>
        resolutionError(requirementOf(problem, tokens), problem),
      );
    }
  }

  /** Whether {@link check} knows a token, and neither it nor {@link build} has found a problem with it. */
  isUsable(token: Token): boolean {
    return this.#usable.has(token);
  }

  #exclude(tokens: ReadonlyMap<Token, unknown>, isUnusable: (token: Token) => boolean): void {
    for (const token of tokens.keys()) if (isUnusable(token)) this.#usable.delete(token);
  }

  /**
   * Returns the source of a token's instances. It resolves a shared instance immediately, and others for each
   * request. A container without `isShared` does both, to find errors at startup.
   */
  sourceOf(token: Token, requirement: Requirement): InstanceSource {
    const source = this.#sources.get(token) ?? this.#findSource(token, requirement);
    this.#sources.set(token, source);
    return source;
  }

  #findSource(token: Token, requirement: Requirement): InstanceSource {
    const resolve = (ctx: Context): unknown => this.#resolveFor(ctx, token, requirement);
    const perRequest = traced('container', describeToken(token), resolve);
    const { container } = this;
    const isShared = isForeignValue(container, token)
      ? isSharedValue(token, container)
      : container.isShared?.(token);
    if (isShared === false) return { perRequest, type: this.providersOf(token).type };
    try {
      const instance = this.#resolve(container, token);
      return isShared ? { instance } : { instance, perRequest };
    } catch (error) {
      if (codeOf(error) !== 'DI_OUT_OF_SCOPE') throw resolutionError(requirement, error);
      return { perRequest };
    }
  }

  /** Returns a promise if a scope of `@fairlead/di` has to wait for an asynchronous provider. */
  #resolve(resolver: Resolver, token: Token): unknown {
    const { container } = this;
    if (isForeignValue(container, token)) return buildValue(token, container, resolver);
    return resolver[OBTAIN] === undefined ? resolver.resolve(token) : resolver[OBTAIN](token);
  }

  /** Returns the providers of a token, if the container tells. */
  providersOf(token: Token): Providers {
    return (this.container as Providing)[PROVIDERS]?.(token) ?? { providers: [] };
  }

  /**
   * Returns the instance of a token if {@link sourceOf} has resolved it. If each request gets another one, returns an
   * object of the same class, if that is known.
   */
  resolved(token: unknown): unknown {
    const { instance, type } = this.#sources.get(token as Token) ?? {};
    return instance ?? (type && Object.create(type.prototype));
  }

  /** Returns a promise only if the token depends on an asynchronous provider. */
  #resolveFor(ctx: Context, token: Token, requirement: Requirement): unknown {
    const scope = this.scopes.of(ctx);
    try {
      const made = this.#resolve(scope, token);
      return made instanceof Promise ? settle(made, requirement) : made;
    } catch (error) {
      // A scope that wraps one of @fairlead/di may hide the method that waits.
      if (codeOf(error) !== 'DI_ASYNC_PROVIDER' || scope.resolveAsync === undefined)
        throw resolutionError(requirement, error);
      return settle(scope.resolveAsync(token), requirement);
    }
  }

  #tryAll(tokens: ReadonlyMap<Token, Requirement>): readonly Error[] {
    return [...tokens].flatMap(([token, requirement]) => {
      const { problems } = attempt(() => this.sourceOf(token, requirement));
      if (problems.length > 0) this.#usable.delete(token);
      return problems;
    });
  }
}

/** Where a scope of `@fairlead/di` has a method that builds an instance once, and returns it or a promise for it. */
const OBTAIN: unique symbol = Symbol.for('fairlead:obtain');

/** Where a container of `@fairlead/di` has a method that returns what it knows of a token. */
const PROVIDERS: unique symbol = Symbol.for('fairlead:providers');

interface Providers {
  readonly providers: readonly object[];
  /** The class of the instances. */
  readonly type?: Constructor | undefined;
}

type Providing = ContainerInterface & { readonly [PROVIDERS]?: (token: Token) => Providers };

type Resolver = Pick<RequestScope, 'resolve'> & { readonly [OBTAIN]?: (token: Token) => unknown };

async function settle(promise: Promise<unknown>, requirement: Requirement): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    throw resolutionError(requirement, error);
  }
}

/** Where a class of another package has a function that returns what is wrong before it is built. */
const FAULTS = Symbol.for('fairlead:faults');

function faultsOf(target: Constructor): readonly Error[] {
  const { [FAULTS]: find }: { readonly [FAULTS]?: () => readonly Error[] } = Object(target);
  return find?.() ?? [];
}

/** Returns the problems that an error of a container lists, or else the error itself. */
function problemsOf(error: unknown): readonly unknown[] {
  const problems: unknown = error instanceof Error && 'problems' in error ? error.problems : [];
  return Array.isArray(problems) && problems.length > 0 ? problems : [error];
}

/** Returns the tokens from the resolved one to the one that failed. Empty if unknown. */
function pathOf(error: unknown): readonly Token[] {
  const path: unknown = error instanceof Error && 'path' in error ? error.path : undefined;
  return Array.isArray(path) ? path : [];
}

/** Returns the requirement for the first token in the path of a container's error. */
function requirementOf(error: unknown, tokens: ReadonlyMap<Token, Requirement>): Requirement {
  const [start] = pathOf(error);
  if (start === undefined) return { description: 'the controllers' };
  return tokens.get(start) ?? { description: describeToken(start) };
}

/** Locates the class nearest to the failure whose location is known. */
function resolutionError(
  { description, controller }: Requirement,
  cause: unknown,
): ControllerResolutionError {
  const classes = pathOf(cause).filter((token) => typeof token === 'function');
  const nearest = classes.findLast((target) => locationOf(target) !== undefined);
  return new ControllerResolutionError(description, cause, locationOf(nearest ?? controller));
}

/** Creates the error for an instance that is not what the route needs: `a function (ctx, next)`, for example. */
export function wrongInstance(
  expected: string,
  requirement: Requirement,
  instance: unknown,
): ControllerResolutionError {
  return resolutionError(requirement, explainInstance(expected, instance));
}

/** Creates the error for an instance that handles no requests, such as a factory that was not called. */
export function misusedInstance(
  requirement: Requirement,
  instance: unknown,
  { reason = '', fix }: ReferenceFault,
): ControllerResolutionError {
  const problem = `the container returned ${describeValue(instance)}${reason}.`;
  return resolutionError(requirement, errorText(problem, `register what the route needs: ${fix}`));
}

/**
 * Lists the tokens that the container must resolve, each with its first requirement: controllers, classes and
 * tokens of guards, middleware and interceptors, and eager providers.
 */
export function requiredTokens(
  definitions: readonly ControllerDefinition[],
  shared: SharedReferences,
  eager: readonly Token[] = [],
): Map<Token, Requirement> {
  const tokens = new Map<Token, Requirement>();
  const add = (
    token: Token,
    description: string,
    controller?: Constructor,
    kind?: ReferenceKind,
  ): void => {
    if (!tokens.has(token)) tokens.set(token, { description, controller, kind });
  };
  for (const { controller, name } of definitions)
    add(controller, `the controller ${name}`, controller);
  const addReferences = (
    references: SharedReferences,
    owner: string,
    controller?: Constructor,
  ): void => {
    for (const [list, kind] of REFERENCE_LISTS) {
      for (const token of references[list]) {
        if (!isToken(token) || isFunctionOf(kind, token)) continue;
        add(token, `the ${kind} ${describeToken(token)} of ${owner}`, controller, kind);
      }
    }
  };
  addReferences(shared, 'the plugin');
  for (const { controller, routes } of definitions) {
    for (const route of routes) addReferences(route, route.handler, controller);
  }
  for (const token of eager) add(token, `the eager provider ${describeToken(token)}`);
  return tokens;
}
