import type { Provider, ValueProvider } from './provider.js';
import type { Constructor, Token } from './token.js';

/** Resolves the instances of one request, and disposes them at its end. */
export interface RequestScope extends AsyncDisposable, Disposable {
  /** Returns the instance for a token. A request-scoped token has one instance per scope. */
  resolve<T>(token: Token<T>): T;
  /** Resolves like `resolve`, and waits for asynchronous factories. */
  resolveAsync<T>(token: Token<T>): Promise<T>;
  /** Registers a value for a request-scoped token. It replaces the token's provider in this scope. */
  register<T>(token: Token<T>, provider: ValueProvider<NoInfer<T>>): unknown;
}

/** Options of `container.initialize`. */
export interface InitializeOptions {
  /**
   * Which of the reachable singletons to build. `eager`: those of factories and eager classes, with
   * their dependencies. `all`: those of other classes as well, except where only lazy dependencies
   * lead to them. Default `eager`.
   */
  readonly singletons?: 'eager' | 'all';
}

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
  /** Opens a scope for one request. */
  createScope?(): RequestScope;
}
