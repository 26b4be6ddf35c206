import {
  type CallSite,
  captureCallSite,
  describeValue,
  findOptionProblems,
  type Kinds,
  oneOf,
} from '@fairlead/options';
import type { Binding } from './binding.js';
import { INSTALL_ONE_COPY, markCopy, otherCopyOf, shareDefaultContainer } from './copies.js';
import type { Dependency } from './dependency.js';
import { type InjectionError, InvalidArgumentError } from './errors/injection-errors.js';
import { type InitializeOptions, initialize } from './initialize.js';
import { checkRegistration, type Provider, type RegisterOptions } from './provider.js';
import { Registry, Snapshot, setDefault } from './registry.js';
import { reachableFrom } from './resolution/graph.js';
import { resolveLater, resolveNow } from './resolution/plan.js';
import { ContainerScope, type RequestScope, type ScopeInterface } from './scope.js';
import type { CheckedInject, Injectable, Misfit } from './static-inject.js';
import { type Class, type Constructor, describeToken, isToken, type Token } from './token.js';
import { unknownToken } from './unknown-token.js';
import { validate } from './validate.js';

/**
 * The interface of a container. Only `resolve` is required. Callers use the optional methods when
 * they exist. `Container` has all of them.
 */
export interface ContainerInterface extends Partial<AsyncDisposable> {
  /** Returns the instance for a token, or throws. */
  resolve<T>(token: Token<T>): T;
  /** Whether a provider is registered for a token. */
  has?(token: Token): boolean;
  /** Registers a provider for a token. */
  register?<T>(token: Token<T>, provider: Provider<NoInfer<T>>): unknown;
  /** Registers a class as its own provider, unless there is a registered one for it. */
  registerDefault?(target: Constructor): unknown;
  /**
   * Whether every `resolve` of a token returns the same instance. If so, the caller may resolve it
   * once and keep it.
   */
  isShared?(token: Token): boolean;
  /** Whether the instance of a shared token exists already, so that `resolve` builds nothing. */
  isBuilt?(token: Token): boolean;
  /** Returns every wiring problem reachable from the given tokens. Constructs nothing. */
  validate?(roots: readonly Token[]): readonly Error[];
  /** Builds asynchronous and eager providers. Afterwards `resolve` works for the given tokens. */
  initialize?(roots: readonly Token[], options?: InitializeOptions): Promise<void>;
  /** Lists the tokens whose asynchronous factories have been called and have not settled. */
  pendingTokens?(): readonly Token[];
  /** Lists the tokens to build at startup even if nothing depends on them. */
  eagerTokens?(): readonly Token[];
  /** Lists the classes that are instantiated to resolve the given tokens. Constructs nothing. */
  classesOf?(roots: readonly Token[]): readonly Constructor[];
  /** Lists the shared instances that exist among what the given tokens lead to. Constructs nothing. */
  instancesOf?(roots: readonly Token[]): readonly unknown[];
  /** Opens a scope for one request. */
  createScope?(): ScopeInterface;
}

let registryOf: (container: Container) => Registry;

/** Where `@fairlead/controllers` finds the method that returns the providers of a token, and the class of its instances. */
const PROVIDERS = Symbol.for('fairlead:providers');

/** Creates and keeps the instances of providers. Shares them only with child containers. */
export class Container implements ContainerInterface, AsyncDisposable, Disposable {
  readonly #registry: Registry;
  /** Caches the bindings found in the current epoch. */
  readonly #cache = new Map<Token, Binding>();
  #epoch = -1;

  static {
    registryOf = (of) => of.#registry;
    Object.defineProperty(Container.prototype, PROVIDERS, {
      value(this: Container, token: Token) {
        const providers = this.#registry.find(token).map(({ provider }) => provider);
        return { providers, type: Reflect.get(Object(this.#target(token)?.provider), 'useClass') };
      },
    });
  }

  /** @param parent - Resolves the tokens that this container has no provider for. */
  constructor(parent?: Container) {
    if (parent !== undefined && !(#registry in Object(parent))) throw invalidParent(parent);
    this.#registry = new Registry(parent === undefined ? undefined : parent.#registry);
  }

  /**
   * Registers a class as its own provider, with the scope set by `@Service`.
   *
   * @throws {InvalidProviderError} When `target` is not a class.
   * @throws {DisposedError} When the container is disposed.
   */
  register<C extends Constructor>(target: Injectable<C>): this;
  /**
   * Registers a provider for a token. Replaces the token's earlier providers and drops the
   * singleton built from them. Instances that already hold that singleton keep it.
   *
   * @throws {InvalidProviderError} When the provider or an option is invalid.
   * @throws {DisposedError} When the container is disposed.
   */
  register<
    T,
    const D extends readonly Dependency[] = readonly [],
    C extends Constructor<NoInfer<T>> = Constructor<NoInfer<T>>,
  >(token: Token<T>, provider: Provider<NoInfer<T>, D, C>, options?: RegisterOptions): this;
  register(token: Token, provider?: Provider, given?: RegisterOptions): this {
    const checked = checkRegistration('register', token, provider, given);
    const options = given ?? {};
    const replaces = this.#registry.replaces(token, options);
    this.#registry.add(token, checked, options, captureSite(checked, this.register, replaces));
    return this;
  }

  /**
   * Registers a class as its own provider in this container, unless a provider for it is registered or overridden
   * here or in a parent. Children treat it like a class that nothing registers.
   *
   * @throws {InvalidProviderError} When `target` is not a class.
   * @throws {DisposedError} When the container is disposed.
   */
  registerDefault(target: Constructor): this {
    checkRegistration('register', target, undefined, {});
    this.#registry.addDefault(target);
    return this;
  }

  /**
   * Overrides the providers of a token in this container, its parents and its children, including
   * providers that are registered later. Intended for tests: call it before anything is resolved.
   *
   * @param options - With `multi: true`, adds to the registered providers instead of replacing them.
   * @throws {InvalidProviderError} When the provider or an option is invalid.
   * @throws {DisposedError} When the container is disposed.
   */
  override<
    T,
    const D extends readonly Dependency[] = readonly [],
    C extends Constructor<NoInfer<T>> = Constructor<NoInfer<T>>,
  >(token: Token<T>, provider: Provider<NoInfer<T>, D, C>, options?: RegisterOptions): this;
  override(token: Token, provider: Provider, options: RegisterOptions = {}): this {
    const checked = checkRegistration('override', token, provider, options);
    this.#registry.override(token, checked, options, captureSite(checked, this.override));
    return this;
  }

  /** Lists the overridden tokens that nothing has registered or looked up yet. */
  unusedOverrides(): Token[] {
    const overrides = [...this.#registry.tree.overrides];
    return overrides.filter(([, { used }]) => !used).map(([token]) => token);
  }

  /**
   * Lists the tokens that this container and its parents can resolve: registered tokens, then
   * unregistered classes that were looked up.
   */
  tokens(): Token[] {
    const registry = this.#registry;
    return [...new Set([...registry.registeredTokens(), ...registry.implicitTokens()])];
  }

  /**
   * Lists the tokens with an eager provider that are registered in this container or a parent.
   * Unregistered classes are not included.
   */
  eagerTokens(): Token[] {
    const registry = this.#registry;
    const isEager = ({ eager }: Binding) => eager;
    const registered = registry
      .registeredTokens()
      .filter((token) => registry.find(token).some(isEager));
    const overridden = [...registry.tree.overrides]
      .filter(([, { bindings }]) => bindings.some(isEager))
      .map(([token]) => token);
    return [...new Set([...registered, ...overridden])];
  }

  /**
   * Lists the classes that are instantiated to resolve the roots and everything they depend on, each
   * once. Constructs nothing.
   */
  classesOf(roots: readonly Token[]): Constructor[] {
    assertRoots('classesOf', roots);
    const bindings = roots.flatMap((root) => this.#registry.find(root));
    const classes = [...reachableFrom(bindings).keys()].flatMap(({ provider }) =>
      'useClass' in provider ? provider.useClass : [],
    );
    return [...new Set(classes)];
  }

  /**
   * Lists the values and the singletons that exist already among what the roots depend on, and the roots themselves,
   * each once. Constructs nothing.
   */
  instancesOf(roots: readonly Token[]): unknown[] {
    assertRoots('instancesOf', roots);
    const bindings = roots.flatMap((root) => this.#registry.find(root));
    const instances = [...reachableFrom(bindings).keys()].flatMap(({ cell }) =>
      cell.ready ? [cell.value] : [],
    );
    return [...new Set(instances)];
  }

  /** Whether this container or a parent provides a token. */
  has(token: Token): boolean {
    return this.#registry.find(token).length > 0;
  }

  /**
   * Whether every `resolve` of a token returns the same instance: that of a singleton or a value, or
   * of an alias for one. Constructs nothing.
   *
   * @returns False for a token without a provider.
   */
  isShared(token: Token): boolean {
    return this.#target(token)?.scope === 'singleton';
  }

  /**
   * Whether the instance of a shared token exists already, so that `resolve` builds nothing. After
   * `initialize` with `singletons: 'all'`, it is missing only where a build has failed.
   */
  isBuilt(token: Token): boolean {
    return this.#target(token)?.cell.ready === true;
  }

  /** Returns a type that says what is wrong with the `static inject` of a class. */
  resolve<C extends Class>(token: Misfit<C>): CheckedInject<C>;
  /**
   * Returns the instance for a token. If it has several providers, the last one wins.
   *
   * @throws {InjectionError} When the token or one of its dependencies has no provider or
   *   cannot be built. The subclass identifies the problem.
   */
  resolve<T>(token: Token<T>): T;
  resolve<T>(token: Token<T>): T {
    const binding = this.#find(token);
    return (binding.cell.ready ? binding.cell.value : resolveNow(binding, undefined)) as T;
  }

  /** Returns a type that says what is wrong with the `static inject` of a class. */
  resolveAsync<C extends Class>(token: Misfit<C>): Promise<CheckedInject<C>>;
  /**
   * Returns the instance for a token after waiting for its asynchronous factories.
   *
   * @throws {InjectionError} Under the same conditions as `resolve`. The next call retries a
   *   failed build.
   */
  resolveAsync<T>(token: Token<T>): Promise<T>;
  async resolveAsync<T>(token: Token<T>): Promise<T> {
    const instance = await resolveLater(this.#find(token), undefined);
    this.#registry.assertOpen(token);
    return instance as T;
  }

  /** Returns a type that says what is wrong with the `static inject` of a class. */
  resolveAll<C extends Class>(token: Misfit<C>): CheckedInject<C>[];
  /**
   * Returns one instance for each provider of a token, in registration order.
   *
   * @throws {InjectionError} Under the same conditions as `resolve`.
   */
  resolveAll<T>(token: Token<T>): T[];
  resolveAll<T>(token: Token<T>): T[] {
    this.#find(token);
    return this.#registry.find(token).map((binding) => resolveNow(binding, undefined) as T);
  }

  /**
   * Builds the singletons of factories and eager classes that are reachable from the roots, and their
   * dependencies. Afterwards `resolve` can return the instances of asynchronous factories. A failed
   * build ends only the builds that need its instance.
   *
   * @param roots - The tokens to start from. Default: every token registered in this container.
   * @param options - Which singletons to build.
   * @throws {InjectionError} The only wiring problem, or the only failed build.
   * @throws {InitializationError} Several of them, each cause once. Nothing is built if the graph has
   *   wiring problems. Otherwise, the container keeps what it has built.
   */
  async initialize(
    roots: readonly Token[] = this.#registry.tokens(),
    options: InitializeOptions = {},
  ): Promise<void> {
    assertRoots('initialize', roots);
    const problems = findOptionProblems('container.initialize()', options, INITIALIZE_OPTIONS);
    if (problems.length > 0) {
      throw new InvalidArgumentError(problems.map((problem) => ({ problem })));
    }
    await initialize(this.#registry, roots, options);
  }

  /**
   * Lists the tokens whose asynchronous factories have been called and have not settled, also in
   * parents and children of this container. Request-scoped factories are not included. During
   * `initialize`, these are the factories that it waits for.
   */
  pendingTokens(): Token[] {
    return [...new Set(this.#registry.tree.pending.values())];
  }

  /**
   * Checks the dependency graph that is reachable from the roots. Constructs nothing and
   * calls no factory.
   *
   * @param roots - The tokens to start from. Default: every token registered in this container.
   * @returns Each problem once, in parameter order, followed by at most 100 cycles. Empty when
   *   the whole graph can be resolved.
   */
  validate(roots: readonly Token[] = this.#registry.tokens()): InjectionError[] {
    assertRoots('validate', roots);
    return validate(this.#registry, roots);
  }

  /** Opens a scope that can resolve request-scoped tokens. Dispose it after use. */
  createScope(): RequestScope {
    return new ContainerScope((token) => this.#find(token));
  }

  /**
   * Creates a container that falls back to this one for tokens it has no provider for. Its providers win
   * for everything that it resolves, except for the singletons that this container registers.
   */
  createChild(): Container {
    return new Container(this);
  }

  /** Captures the providers and singletons of this container, without those of its parent. */
  snapshot(): Snapshot {
    return this.#registry.snapshot();
  }

  /**
   * Restores the providers and singletons of a snapshot. Drops singletons built since then. The
   * container still disposes them.
   *
   * @param snapshot - A snapshot of this container.
   * @throws {InvalidArgumentError} When it is not one.
   */
  restore(snapshot: Snapshot): void {
    if (!(snapshot instanceof Snapshot && snapshot.isOf(this.#registry))) {
      const found =
        snapshot instanceof Snapshot ? 'a snapshot of another container' : describeValue(snapshot);
      const problem = `container.restore() cannot use ${found}.`;
      const fix = 'pass what snapshot() of the same container has returned.';
      throw new InvalidArgumentError([{ problem, fix }]);
    }
    snapshot.apply();
  }

  /**
   * Disposes every singleton that this container created, newest first. Afterwards the
   * container cannot resolve anything. Does not dispose values, transients, child containers
   * or open scopes.
   *
   * @throws {AggregateError} When some instances fail to dispose, after trying all of them.
   */
  dispose(): Promise<void> {
    this.#registry.tree.epoch++;
    return this.#registry.lifetime.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** @throws {AsyncDisposalError} When an instance can only be disposed asynchronously. */
  [Symbol.dispose](): void {
    this.#registry.tree.epoch++;
    this.#registry.lifetime.disposeSync();
  }

  /** Finds the binding whose instance a token has, through aliases. */
  #target(token: Token): Binding | undefined {
    const seen = new Set<Binding>();
    let binding = this.#registry.find(token).at(-1);
    while (binding !== undefined && 'useExisting' in binding.provider && !seen.has(binding)) {
      seen.add(binding);
      binding = binding.owner.find(binding.provider.useExisting).at(-1);
    }
    return binding;
  }

  #find(token: Token): Binding {
    const { epoch } = this.#registry.tree;
    if (this.#epoch !== epoch) {
      this.#cache.clear();
      this.#epoch = epoch;
    }
    return this.#cache.get(token) ?? this.#lookUp(token);
  }

  #lookUp(token: Token): Binding {
    this.#registry.assertOpen(token);
    const binding = this.#registry.find(token).at(-1);
    if (binding === undefined) throw unknownToken(this.#registry, token)([]);
    this.#cache.set(token, binding);
    return binding;
  }
}

markCopy(Container);

/**
 * Captures the caller for messages about a provider. Classes have that of their decorator, and values never fail.
 *
 * @param isDoubtful - Whether a warning may need it.
 */
function captureSite(
  provider: Provider,
  method: (...args: never[]) => unknown,
  isDoubtful = false,
): CallSite | undefined {
  const mayFail = 'useFactory' in provider || 'useExisting' in provider;
  const isSuspicious =
    'useValue' in provider &&
    (provider.useValue === undefined || provider.useValue instanceof Promise);
  return mayFail || isSuspicious || isDoubtful ? captureCallSite(method) : undefined;
}

const INITIALIZE_OPTIONS: Kinds<InitializeOptions> = { singletons: oneOf('eager', 'all') };

function assertRoots(method: string, roots: unknown): void {
  if (Array.isArray(roots)) return;
  const name = isToken(roots) ? describeToken(roots) : 'token';
  const problem = `container.${method}() cannot use ${describeValue(roots)} as roots.`;
  const fix = `pass an array, as in container.${method}([${name}]).`;
  throw new InvalidArgumentError([{ problem, fix }], roots);
}

function invalidParent(parent: unknown): InvalidArgumentError {
  const files = otherCopyOf(parent);
  const problem = `new Container() cannot use ${describeValue(parent)} as parent.`;
  if (files === undefined) {
    return new InvalidArgumentError([{ problem, fix: 'pass a Container, or nothing.' }]);
  }
  const copies = `${problem} It is from another copy of @fairlead/di. The copies are ${files}.`;
  return new InvalidArgumentError([{ problem: copies, fix: INSTALL_ONE_COPY }]);
}

/** Creates an empty container that shares nothing with other containers. */
export function createContainer(): Container {
  return new Container();
}

/**
 * The default container of the process. `controllersPlugin` uses it unless you pass another, so
 * applications that name no container share their singletons. No application disposes it.
 */
export const container: Container = createContainer();

setDefault(registryOf(container));
shareDefaultContainer((token) => container.tokens().some((known) => known === token));
