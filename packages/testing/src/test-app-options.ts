import type { ControllersPluginOptions } from '@fairlead/controllers';
import type { ErrorHandlerOptions, Middleware } from '@fairlead/core';
import type { Constructor, Container } from '@fairlead/di';
import type { Overrides } from './override.js';

/**
 * What {@link createTestApp} takes: every option of `controllersPlugin` but the router and the
 * container, which each application has of its own, and what stands around it.
 */
export interface TestAppOptions<Types extends readonly unknown[] = readonly unknown[]>
  extends Omit<ControllersPluginOptions, 'router' | 'container' | 'controllers'> {
  /** Classes to register, beside those that are discovered in `root`. */
  readonly controllers?: readonly Constructor[];
  /** Whether a file of `root` that cannot be looked into stops the start. Default: true. */
  readonly strict?: boolean;
  /** Registers in the new container what the application registers at its start. */
  readonly register?: (container: Container) => unknown;
  /** Take the place of what `register` and decorators say: `[token, provider, options?]`. */
  readonly overrides?: Overrides<Types>;
  /** Runs for every request, ahead of `json()` and the routes. */
  readonly before?: readonly Middleware[];
  /** Runs for every request that no route answered, ahead of the not-found handler. */
  readonly after?: readonly Middleware[];
  /**
   * Is told of every error whose message the client is not shown; the call is then answered with
   * the generic body. Without it, the call rejects with the error.
   */
  readonly onError?: NonNullable<ErrorHandlerOptions['onError']>;
}
