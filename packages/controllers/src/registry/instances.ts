import type { Context, Middleware } from '@fairlead/core';
import { type Constructor, type ContainerInterface, describeToken, type Token } from '@fairlead/di';
import { codeOf } from '../errors/code-of.js';
import { ControllerResolutionError } from '../errors/controller-resolution-error.js';
import { type Hold, RequestScopes } from './request-scopes.js';
import { resolutionError, type Subject } from './subject.js';

/**
 * How routes get an instance: a shared one that is already built, or one resolved for each request.
 * In the second case `instance` is what a container that does not report sharing resolved at startup.
 */
export type Supply =
  | { readonly instance: unknown; readonly perRequest?: undefined }
  | { readonly instance?: unknown; readonly perRequest: (ctx: Context) => unknown };

/** Finds out how to get what a token of a route stands for; the text says what it is. */
export type SupplyToken = (
  token: Token,
  text: string,
) => { readonly supplied: Supply; readonly subject: Subject };

/** Gets controllers, guards and middleware from a container. */
export class Instances {
  readonly #container: ContainerInterface;
  readonly #scopes: RequestScopes;
  readonly #supplies = new Map<Token, Supply>();

  /**
   * @param container - At least `resolve`; the rest is used where it is there.
   * @param warn - Is told of a request scope that could not be disposed.
   */
  constructor(container: ContainerInterface, warn: (message: string) => void) {
    this.#container = container;
    this.#scopes = new RequestScopes(container, warn);
  }

  /** Whether the container opens a scope for each request. */
  get hasScopes(): boolean {
    return this.#container.createScope !== undefined;
  }

  /** Opens the scope that per-request supplies of a route resolve from. */
  get scopeMiddleware(): Middleware {
    return this.#scopes.middleware;
  }

  /** Wraps the functions of a route with a scope: the scope outlives what they return. */
  get hold(): Hold {
    return this.#scopes.hold;
  }

  /**
   * Registers classes that the container does not know, then finds what it cannot supply. A
   * container that cannot validate is asked to resolve.
   *
   * @param tokens - With what each is, for people.
   */
  check(tokens: ReadonlyMap<Token, Subject>): ControllerResolutionError[] {
    for (const token of tokens.keys()) {
      if (typeof token !== 'function' || (this.#container.has?.(token) ?? true)) continue;
      this.#container.register?.(token, { useClass: token as Constructor });
    }
    if (this.#container.validate === undefined) return this.#tryAll(tokens);
    return this.#container
      .validate([...tokens.keys()])
      .map((problem) => resolutionError(subjectOf(problem, tokens), problem));
  }

  /**
   * Builds what is asynchronous, so that everything can be resolved synchronously.
   *
   * @throws {ControllerResolutionError} 500, when something fails to build.
   */
  async initialize(tokens: ReadonlyMap<Token, Subject>): Promise<void> {
    try {
      await this.#container.initialize?.([...tokens.keys()]);
    } catch (error) {
      throw resolutionError(subjectOf(error, tokens), error);
    }
  }

  /**
   * Finds out how to get a token's instance. A shared instance is resolved now and kept. Anything
   * else is resolved for each request. A container that does not report sharing resolves each token
   * once now, so that a failure stops the startup, and then for each request.
   *
   * @param token - What to ask the container for.
   * @param subject - What it is, for people.
   * @throws {ControllerResolutionError} 500, when it cannot be built now.
   */
  supply(token: Token, subject: Subject): Supply {
    const known = this.#supplies.get(token);
    if (known !== undefined) return known;
    const supply = this.#findSupply(token, subject);
    this.#supplies.set(token, supply);
    return supply;
  }

  #findSupply(token: Token, subject: Subject): Supply {
    const perRequest = (ctx: Context): unknown => this.#resolveFor(ctx, token, subject);
    const isShared = this.#container.isShared?.(token);
    if (isShared === false) return { perRequest };
    try {
      const instance = this.#container.resolve(token);
      return isShared ? { instance } : { instance, perRequest };
    } catch (error) {
      if (codeOf(error) !== 'DI_OUT_OF_SCOPE') throw resolutionError(subject, error);
      return { perRequest };
    }
  }

  /** A promise only when something that the token needs is asynchronous. */
  #resolveFor(ctx: Context, token: Token, subject: Subject): unknown {
    const scope = this.#scopes.of(ctx);
    const fail = (error: unknown): never => {
      throw resolutionError(subject, error);
    };
    try {
      return scope.resolve(token);
    } catch (error) {
      if (codeOf(error) !== 'DI_ASYNC_PROVIDER') return fail(error);
      return scope.resolveAsync?.(token).then(undefined, fail) ?? fail(error);
    }
  }

  #tryAll(tokens: ReadonlyMap<Token, Subject>): ControllerResolutionError[] {
    return [...tokens].flatMap(([token, subject]) => {
      try {
        this.supply(token, subject);
        return [];
      } catch (error) {
        if (error instanceof ControllerResolutionError) return error;
        throw error;
      }
    });
  }
}

/** The text of the token at which a container's error begins. */
function subjectOf(error: unknown, tokens: ReadonlyMap<Token, Subject>): Subject {
  const path: unknown = error instanceof Error && 'path' in error ? error.path : undefined;
  const start: Token | undefined = Array.isArray(path) ? path[0] : undefined;
  if (start === undefined) return { text: 'the controllers' };
  return tokens.get(start) ?? { text: describeToken(start) };
}
