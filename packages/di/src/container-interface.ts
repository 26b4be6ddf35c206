import type { Provider, ValueProvider } from './provider.js';
import type { Token } from './token.js';

/** What a container hands out for the length of one request. */
export interface RequestScope extends AsyncDisposable, Disposable {
  /** Gives the instance of a token, of this request where the token is request-scoped. */
  resolve<T>(token: Token<T>): T;
  /** Gives the same when everything asynchronous that it needs is there. */
  resolveAsync<T>(token: Token<T>): Promise<T>;
  /** Puts a value of this request in the place of a request-scoped token's provider. */
  register<T>(token: Token<T>, provider: ValueProvider<NoInfer<T>>): unknown;
}

/**
 * The least that a container must offer. The rest is used where it is there; a `Container`
 * has all of it.
 */
export interface ContainerInterface {
  /** Gives the instance of a token, or throws. */
  resolve<T>(token: Token<T>): T;
  /** Tells whether something provides a token. */
  has?(token: Token): boolean;
  /** Says how to make what a token stands for. */
  register?<T>(token: Token<T>, provider: Provider<NoInfer<T>>): unknown;
  /** Reports every wiring problem that is reached from some tokens, constructing nothing. */
  validate?(roots: readonly Token[]): readonly Error[];
  /** Builds what is asynchronous, so that `resolve` works afterwards. */
  initialize?(roots: readonly Token[]): Promise<void>;
  /** Opens a scope for one request. */
  createScope?(): RequestScope;
}
