import {
  boolean,
  type CallSite,
  captureCallSite,
  eagerClasses,
  findOptionProblems,
  type Kinds,
} from '@fairlead/options';
import type { Mistake } from '../errors/injection-errors.js';
import { defineService, isService, serviceOptions } from '../metadata.js';
import { describeEagerScope, SCOPE, type Scope } from '../provider.js';
import type { Injectable } from '../static-inject.js';
import type { Class, Constructor } from '../token.js';
import { type Decorated, isOnClass, missingParentheses, misuse } from './misuse.js';

/** Options of {@link Service} and {@link Repository}. */
export interface ServiceOptions {
  /** Default: `static scope` of the class, otherwise `singleton`. */
  readonly scope?: Scope;
  /**
   * Whether to build the class at startup even if nothing depends on it. Requires the scope
   * `singleton`. `container.initialize` builds it when it is registered or among the roots.
   * Default: `static eager` of the class, otherwise false.
   */
  readonly eager?: boolean;
}

/** Compiles only where a `static inject` tuple of the class lists what its constructor takes. */
export type ServiceDecorator = <C extends Constructor>(target: Injectable<C>) => void;

const SERVICE_OPTIONS: Kinds<ServiceOptions> = { scope: SCOPE, eager: boolean };

/**
 * Makes a class resolvable from every container. Each container builds its own instances.
 *
 * @param options - The scope of the class, and whether to build it at startup.
 * @throws {InvalidDecoratorError} When it does not decorate a class, an option is invalid, or an eager
 *   class has a scope other than `singleton`.
 */
export function Service(options: ServiceOptions = {}): ServiceDecorator {
  return decorator('Service', options, captureCallSite(Service));
}

/** An alias of {@link Service}, for classes that read and write stored data. */
export function Repository(options: ServiceOptions = {}): ServiceDecorator {
  return decorator('Repository', options, captureCallSite(Repository));
}

/** Whether a class has `@Service({ eager: true })`, or `static eager = true` next to `static inject`. */
export function isEager(target: Class): boolean {
  return isService(target) && serviceOptions(target).eager === true;
}

function decorator(name: string, options: ServiceOptions, site: CallSite): ServiceDecorator {
  if (typeof options === 'function') {
    throw misuse(`@${name}`, [options], missingParentheses(`@${name}()`), site);
  }
  return function decorate(target: Constructor, ...rest: unknown[]): void {
    const decorated: Decorated = [target, ...rest];
    const mistakes = findMistakes(name, decorated, options);
    if (mistakes.length > 0) throw misuse(`@${name}()`, decorated, mistakes, site);
    const { scope, eager } = options;
    defineService(target, { scope, eager, site });
    if (eager) eagerClasses().set(target, site);
  };
}

function findMistakes(name: string, decorated: Decorated, options: ServiceOptions): Mistake[] {
  if (!isOnClass(decorated)) {
    return [{ problem: 'it decorates classes only.', fix: 'move it to the class.' }];
  }
  const problems = findOptionProblems(`@${name}()`, options, SERVICE_OPTIONS);
  if (problems.length > 0) return problems.map((problem) => ({ problem }));
  const { scope = 'singleton', eager } = options;
  return eager && scope !== 'singleton' ? [describeEagerScope(scope)] : [];
}
