import type { ControllersPluginOptions } from '@fairlead/controllers';
import type { ErrorHandlerOptions, Middleware } from '@fairlead/core';
import type { Constructor, Container, Provider, RegisterOptions, Token } from '@fairlead/di';

/**
 * Options of {@link createTestApp}: all options of `controllersPlugin` except the router and the
 * container, which are new for each application, and options for the surrounding application.
 */
export interface TestAppOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends Omit<
    ControllersPluginOptions,
    'router' | 'container' | 'disposeContainer' | 'controllers'
  > {
  /** Classes to register in addition to those discovered in `root`. */
  readonly controllers?: readonly Constructor[];
  /** Whether to fail when a file in `root` cannot be imported. Default true. */
  readonly strict?: boolean;
  /** Called with the new container, to register the providers of the application. */
  readonly register?: (container: Container) => unknown;
  /** Providers that replace those of `register` and decorators: `[token, provider, options?]`. */
  readonly overrides?: Overrides<Types>;
  /** Middleware that runs for every request, before `json()` and the routes. */
  readonly before?: readonly Middleware[];
  /** Middleware that runs for requests without a matching route, before the not-found handler. */
  readonly after?: readonly Middleware[];
  /**
   * Called with every error whose message is hidden from the client. The call then resolves with the
   * generic response. Without this option, the call rejects with the error.
   */
  readonly onError?: NonNullable<ErrorHandlerOptions['onError']>;
}

/** A list of overrides. `Types` lists the types of their tokens. */
export type Overrides<Types extends readonly unknown[]> = {
  readonly [Index in keyof Types]: Override<Types[Index]>;
};

/** The arguments of `container.register`. The provider must match the type of the token. */
export type Override<T> = readonly [
  token: Token<T>,
  provider: Provider<Fake<NoInfer<T>>>,
  options?: RegisterOptions,
];

/** A replacement for `T` with its public members. A plain object can replace a class with private ones. */
export type Fake<T> = unknown extends T
  ? T
  : T extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown)
    ? T
    : { [Member in keyof T]: T[Member] };
