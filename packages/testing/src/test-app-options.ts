import type { ControllersPluginOptions } from '@fairlead/controllers';
import type { Application, ErrorHandlerOptions, Middleware } from '@fairlead/core';
import type { Constructor, Container, RegisterOptions, Token } from '@fairlead/di';
import type { FakeProvider } from './fake.js';

/** Options of {@link createTestApp} for every application. */
export interface CommonTestOptions<Types extends readonly unknown[] = readonly unknown[]> {
  /**
   * Providers that replace those of the application, including those that it registers later:
   * `[token, provider, options?]`.
   */
  readonly overrides?: Overrides<Types>;
  /**
   * Called with every error whose message is hidden from the client. The call then resolves with the
   * generic response. Without this option, the call rejects with the error.
   */
  readonly onError?: NonNullable<ErrorHandlerOptions['onError']>;
}

/** Options of {@link createTestApp} that test an application of your own. */
export interface ApplicationTestOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends CommonTestOptions<Types> {
  /**
   * Creates the application with the container of the test, which it must pass to
   * `controllersPlugin`. May be asynchronous.
   */
  readonly app: (container: Container) => Application | Promise<Application>;
}

/**
 * Options of {@link createTestApp} that test controllers: all options of `controllersPlugin` except
 * the router and the container, which are new for each application, and options for the surrounding
 * application.
 */
export interface TestAppOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends CommonTestOptions<Types>,
    Omit<ControllersPluginOptions, 'router' | 'container' | 'disposeContainer' | 'controllers'> {
  /** Excludes the options for controllers: see {@link ApplicationTestOptions}. */
  readonly app?: never;
  /** Classes to register in addition to those discovered in `root`. */
  readonly controllers?: readonly Constructor[];
  /** Whether to fail when a file in `root` cannot be imported. Default true. */
  readonly strict?: boolean;
  /** Called with the new container, to register the providers of the application. */
  readonly register?: (container: Container) => unknown;
  /** Middleware that runs for every request, before `json()` and the routes. */
  readonly before?: readonly Middleware[];
  /** Middleware that runs for requests without a matching route, before the not-found handler. */
  readonly after?: readonly Middleware[];
}

/** A list of overrides. `Types` lists the types of their tokens. */
export type Overrides<Types extends readonly unknown[]> = {
  readonly [Index in keyof Types]: Override<Types[Index]>;
};

/** The arguments of `container.override`. The provider must match the type of the token. */
export type Override<T> = readonly [
  token: Token<T>,
  provider: FakeProvider<NoInfer<T>>,
  options?: RegisterOptions,
];
