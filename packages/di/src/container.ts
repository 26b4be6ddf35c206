import type { Binding } from './binding.js';
import type { ContainerInterface, RequestScope } from './container-interface.js';
import type { Dependency } from './dependency.js';
import { UnknownTokenError } from './errors/graph-errors.js';
import type { InjectionError } from './errors/injection-error.js';
import { InvalidProviderError } from './errors/lifecycle-errors.js';
import { checkProvider, type Provider, type RegisterOptions } from './provider.js';
import { Registry, type Snapshot } from './registry.js';
import { reachableFrom } from './resolution/graph.js';
import { resolveLater, resolveNow } from './resolution/plan.js';
import { ContainerScope } from './scope.js';
import { type Constructor, isToken, type Token } from './token.js';
import { validate } from './validate.js';

/** Makes instances from providers and keeps them. Containers share no instances. */
export class Container implements ContainerInterface, AsyncDisposable, Disposable {
  readonly #registry: Registry;
  /** Look-ups of the current epoch: a built singleton is one step away. */
  readonly #known = new Map<Token, Binding>();
  #epoch = -1;

  /** @param parent - Asked for what this container has no provider for. */
  constructor(parent?: Container) {
    this.#registry = new Registry(parent === undefined ? undefined : parent.#registry);
  }

  /**
   * Registers a class as its own provider, in the scope that `@Service` gives it.
   *
   * @throws {InvalidProviderError} When it is not a class.
   */
  register(target: Constructor): this;
  /**
   * Says how to make what a token stands for. Replaces the token's earlier providers, and the
   * singleton built from them; instances that hold that singleton keep it.
   *
   * @throws {InvalidProviderError} When the provider or its options cannot work.
   * @throws {DisposedError} When the container is disposed.
   */
  register<T, const D extends readonly Dependency[] = readonly Dependency[]>(
    token: Token<T>,
    provider: Provider<NoInfer<T>, D>,
    options?: RegisterOptions,
  ): this;
  register(
    token: Token,
    provider: Provider = { useClass: token as Constructor },
    options: RegisterOptions = {},
  ): this {
    if (!isToken(token)) throw new InvalidProviderError(String(token), 'the token is not a token');
    checkProvider(token, provider, options.scope);
    this.#registry.add(token, provider, options);
    return this;
  }

  /** Tells whether something provides a token, here or in a parent. */
  has(token: Token): boolean {
    return this.#registry.find(token).length > 0;
  }

  /**
   * Gives the instance of a token; with several providers, that of the last.
   *
   * @throws {InjectionError} When the token or something it needs is unknown or cannot be
   *   built; the class says why.
   */
  resolve<T>(token: Token<T>): T {
    const binding = this.#find(token);
    return (binding.cell.ready ? binding.cell.value : resolveNow(binding, undefined)) as T;
  }

  /**
   * Gives the instance of a token when every asynchronous factory that it needs has settled.
   *
   * @throws {InjectionError} As `resolve`; a failed build is tried anew by the next call.
   */
  async resolveAsync<T>(token: Token<T>): Promise<T> {
    const instance = await resolveLater(this.#find(token), undefined);
    this.#registry.assertOpen(token);
    return instance as T;
  }

  /**
   * Gives one instance for each provider of a token, in the order of registration.
   *
   * @throws {InjectionError} As `resolve`; also when the token has no provider.
   */
  resolveAll<T>(token: Token<T>): T[] {
    this.#find(token);
    return this.#registry.find(token).map((binding) => resolveNow(binding, undefined) as T);
  }

  /**
   * Builds every singleton made by a factory that is reached from some tokens, so that
   * `resolve` finds the asynchronous ones ready.
   *
   * @param roots - Default: every token registered in this container.
   * @throws {InjectionError} The first problem or failure.
   */
  async initialize(roots: readonly Token[] = this.#registry.tokens()): Promise<void> {
    for (const problem of this.validate(roots)) throw problem;
    const bindings = roots.flatMap((root) => this.#registry.find(root));
    const factories = [...reachableFrom(bindings)].filter(
      ({ provider, scope }) => 'useFactory' in provider && scope === 'singleton',
    );
    await Promise.all(factories.map((binding) => resolveLater(binding, undefined)));
  }

  /**
   * Reports every wiring problem of the graph that is reached from some tokens, each once, in
   * the order in which the parameters are written, cycles last (at most 100). Constructs
   * nothing and calls no factory.
   *
   * @param roots - Default: every token registered in this container.
   * @returns Empty when all of it can be resolved.
   */
  validate(roots: readonly Token[] = this.#registry.tokens()): InjectionError[] {
    return validate(this.#registry, roots);
  }

  /** Opens a scope in which request-scoped tokens can be resolved; dispose it at the end. */
  createScope(): RequestScope {
    return new ContainerScope((token) => this.#find(token));
  }

  /**
   * Creates a container that asks this one for what it has no provider for. A provider resolves
   * its dependencies, and keeps its singleton, in the container it was registered in.
   */
  createChild(): Container {
    return new Container(this);
  }

  /** Remembers the providers and singletons of this container, not those of its parent. */
  snapshot(): Snapshot {
    return this.#registry.snapshot();
  }

  /**
   * Puts back the providers and singletons of a snapshot; what was built since is forgotten,
   * though still disposed with the container.
   *
   * @param snapshot - Taken from this container.
   */
  restore(snapshot: Snapshot): void {
    snapshot.apply();
  }

  /**
   * Disposes every singleton that this container made, the newest first. It resolves nothing
   * afterwards. Values, transients, children and open scopes are not disposed.
   *
   * @throws {AggregateError} After all were attempted, when any failed.
   */
  dispose(): Promise<void> {
    this.#registry.tree.epoch++;
    return this.#registry.lifetime.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** @throws {AsyncDisposalError} When something can only be disposed asynchronously. */
  [Symbol.dispose](): void {
    this.#registry.tree.epoch++;
    this.#registry.lifetime.disposeSync();
  }

  #find(token: Token): Binding {
    const { epoch } = this.#registry.tree;
    if (this.#epoch !== epoch) {
      this.#known.clear();
      this.#epoch = epoch;
    }
    return this.#known.get(token) ?? this.#lookUp(token);
  }

  #lookUp(token: Token): Binding {
    this.#registry.assertOpen(token);
    const binding = this.#registry.find(token).at(-1);
    if (binding === undefined) throw new UnknownTokenError([token], token);
    this.#known.set(token, binding);
    return binding;
  }
}

/** Creates an empty container, independent of every other. */
export function createContainer(): Container {
  return new Container();
}

/** The container that is used where none is given. */
export const container: Container = createContainer();
