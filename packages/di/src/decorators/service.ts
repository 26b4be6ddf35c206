import { defineService } from '../metadata.js';
import type { Scope } from '../provider.js';
import type { Constructor } from '../token.js';

/** Options of {@link Service} and {@link Repository}. */
export interface ServiceOptions {
  /** Default `singleton`. */
  readonly scope?: Scope;
}

/**
 * Makes a class resolvable from every container, which each build instances of their own.
 *
 * @param options - The scope, when it is not `singleton`.
 */
export function Service(options: ServiceOptions = {}): (target: Constructor) => void {
  return (target) => defineService(target, { scope: options.scope ?? 'singleton' });
}

/** The same as {@link Service}, for classes that read and write stored data. */
export const Repository = Service;
