import { InvalidProviderError } from '../errors/lifecycle-errors.js';
import { defineService, serviceDefinition } from '../metadata.js';
import type { Scope } from '../provider.js';
import type { Class, Constructor } from '../token.js';

/** Options of {@link Service} and {@link Repository}. */
export interface ServiceOptions {
  /** Default `singleton`. */
  readonly scope?: Scope;
  /**
   * Whether to build the class at startup even if nothing depends on it. Requires the scope
   * `singleton`. `container.initialize` builds it when it is registered or among the roots.
   * Default false.
   */
  readonly eager?: boolean;
}

/**
 * Makes a class resolvable from every container. Each container builds its own instances.
 *
 * @param options - The scope of the class, and whether to build it at startup.
 * @throws {InvalidProviderError} When an eager class has a scope other than `singleton`.
 */
export function Service({
  scope = 'singleton',
  eager = false,
}: ServiceOptions = {}): (target: Constructor) => void {
  return (target) => {
    if (eager && scope !== 'singleton') throw InvalidProviderError.eagerScope(target, scope);
    defineService(target, { scope, eager });
  };
}

/** Whether a class has `@Service({ eager: true })`. */
export function isEager(target: Class): boolean {
  return serviceDefinition(target)?.eager === true;
}

/** An alias of {@link Service}, for classes that read and write stored data. */
export const Repository = Service;
