import { defineService } from '../metadata.js';
import type { Scope } from '../provider.js';
import type { Constructor } from '../token.js';

/** Options of {@link Service} and {@link Repository}. */
export interface ServiceOptions {
  /** Default `singleton`. */
  readonly scope?: Scope;
}

/**
 * Makes a class resolvable from every container. Each container builds its own instances.
 *
 * @param options - The scope of the class. Default `singleton`.
 */
export function Service(options: ServiceOptions = {}): (target: Constructor) => void {
  return (target) => defineService(target, { scope: options.scope ?? 'singleton' });
}

/** An alias of {@link Service}, for classes that read and write stored data. */
export const Repository = Service;
