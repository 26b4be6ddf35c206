import { type Dependency, Injection, type Resolved } from './dependency.js';
import { InvalidProviderError } from './errors/lifecycle-errors.js';
import { type Constructor, isToken, type Token } from './token.js';

/**
 * How long an instance lives: as long as its container (`singleton`), for one resolution
 * (`transient`), or as long as the request scope that resolved it (`request`).
 */
export type Scope = 'singleton' | 'transient' | 'request';

/** Provides an existing value. The container never disposes it. */
export interface ValueProvider<T> {
  /** The value, which is returned unchanged. */
  readonly useValue: T;
}

/** Provides instances of a class. */
export interface ClassProvider<T> {
  /** The class. The container resolves its constructor parameters. */
  readonly useClass: Constructor<T>;
}

/** Provides the return value of a function. A returned promise is awaited. */
export interface FactoryProvider<T, D extends readonly Dependency[] = readonly Dependency[]> {
  /** Called with the instances of `inject`. */
  readonly useFactory: (...dependencies: Resolved<D>) => T | Promise<T>;
  /** The dependencies that become the factory's arguments, in order. */
  readonly inject?: D;
}

/** Provides the instance of another token: an alias. */
export interface ExistingProvider<T> {
  /** The token to resolve instead. */
  readonly useExisting: Token<T>;
}

/** Creates the instances of a token. A provider is exactly one of these kinds. */
export type Provider<T = unknown, D extends readonly Dependency[] = readonly Dependency[]> =
  | ValueProvider<T>
  | ClassProvider<T>
  | FactoryProvider<T, D>
  | ExistingProvider<T>;

/** Options of `container.register`. */
export interface RegisterOptions {
  /** Default: the scope set by `@Service` on the class, otherwise `singleton`. */
  readonly scope?: Scope;
  /** Adds to the token's providers instead of replacing them. Default false. */
  readonly multi?: boolean;
  /**
   * Whether `initialize` builds the singleton of a class or factory even if nothing depends on it.
   * Default: what `@Service` sets on the class, otherwise false.
   */
  readonly eager?: boolean;
}

const kinds = ['useValue', 'useClass', 'useFactory', 'useExisting'] as const;
const scopes: readonly unknown[] = ['singleton', 'transient', 'request', undefined];

/**
 * Checks a provider before it is registered.
 *
 * @throws {InvalidProviderError} When the provider has no kind or several, a value of the wrong
 *   type, or a scope that is unknown or does not apply.
 */
export function checkProvider(
  token: Token,
  provider: Provider,
  { scope, eager }: RegisterOptions,
): void {
  const problem = describeProblem(provider, scope) ?? describeEagerProblem(provider, eager);
  if (problem !== undefined) throw new InvalidProviderError(token, problem);
}

function describeEagerProblem(provider: Provider, eager: unknown): string | undefined {
  if (eager !== undefined && typeof eager !== 'boolean') return 'eager is not a boolean';
  const [kind] = kinds.filter((name) => name in provider);
  return eager === true && (kind === 'useValue' || kind === 'useExisting')
    ? `${kind} takes no eager because it creates no instance`
    : undefined;
}

function describeProblem(provider: Provider, scope: Scope | undefined): string | undefined {
  if (typeof provider !== 'object' || provider === null) return 'the provider is not an object';
  const used = kinds.filter((kind) => kind in provider);
  if (used.length === 0) return `the provider has none of ${kinds.join(', ')}`;
  if (used.length > 1) return `the provider has ${used.join(' and ')}`;
  if (!scopes.includes(scope)) return `the scope '${String(scope)}' does not exist`;
  if ('useClass' in provider && !isConstructor(provider.useClass)) return 'useClass is not a class';
  if ('useFactory' in provider) return describeFactoryProblem(provider);
  if ('useExisting' in provider && !isToken(provider.useExisting)) {
    return 'useExisting is not a token';
  }
  if (scope !== undefined && !('useClass' in provider)) {
    return `${used[0]} takes no scope because it creates no instance`;
  }
  return undefined;
}

function describeFactoryProblem({ useFactory, inject }: FactoryProvider<unknown>) {
  if (typeof useFactory !== 'function') return 'useFactory is not a function';
  if (inject === undefined) return describeMissing(useFactory, 0);
  if (!Array.isArray(inject)) return 'inject is not an array of dependencies';
  const invalid = inject.findIndex((entry) => !isToken(entry) && !(entry instanceof Injection));
  if (invalid >= 0) return `entry ${invalid} of inject is not a token`;
  return describeMissing(useFactory, inject.length);
}

function describeMissing(useFactory: { readonly length: number }, listed: number) {
  return useFactory.length > listed
    ? `useFactory takes ${useFactory.length} parameters, but inject lists ${listed}`
    : undefined;
}

/** Classes have a prototype. Arrow functions, methods and async functions have none. */
function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function' && value.prototype !== undefined;
}
