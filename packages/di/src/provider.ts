import { type Dependency, Injection, type Resolved } from './dependency.js';
import { InvalidProviderError } from './errors/lifecycle-errors.js';
import { type Constructor, isToken, type Token } from './token.js';

/**
 * How long an instance lives: as long as its container, for one resolution, or as long as
 * the request scope that asked for it.
 */
export type Scope = 'singleton' | 'transient' | 'request';

/** Provides a value that exists already. The container never disposes it. */
export interface ValueProvider<T> {
  /** Given to whoever asks for the token. */
  readonly useValue: T;
}

/** Provides instances of a class. */
export interface ClassProvider<T> {
  /** Its constructor's parameters are resolved. */
  readonly useClass: Constructor<T>;
}

/** Provides what a function returns, or what the promise that it returns resolves to. */
export interface FactoryProvider<T, D extends readonly Dependency[] = readonly Dependency[]> {
  /** Called with the instances of `inject`. */
  readonly useFactory: (...dependencies: Resolved<D>) => T | Promise<T>;
  /** The factory's arguments, in order. */
  readonly inject?: D;
}

/** Provides whatever another token provides. */
export interface ExistingProvider<T> {
  /** Asked for in its place. */
  readonly useExisting: Token<T>;
}

/** The ways to make what a token stands for; a provider has exactly one of them. */
export type Provider<T = unknown, D extends readonly Dependency[] = readonly Dependency[]> =
  | ValueProvider<T>
  | ClassProvider<T>
  | FactoryProvider<T, D>
  | ExistingProvider<T>;

/** Options of `container.register`. */
export interface RegisterOptions {
  /** Default: what `@Service` says of the class, otherwise `singleton`. */
  readonly scope?: Scope;
  /** Adds to the token's providers instead of replacing them. Default false. */
  readonly multi?: boolean;
}

const kinds = ['useValue', 'useClass', 'useFactory', 'useExisting'] as const;
const scopes: readonly unknown[] = ['singleton', 'transient', 'request', undefined];

/**
 * Refuses a provider that cannot work, before anything is registered.
 *
 * @throws {InvalidProviderError} When the provider has no kind or several, a kind has the
 *   wrong value, or the scope is unknown or does not apply.
 */
export function checkProvider(token: Token, provider: Provider, scope: Scope | undefined): void {
  const problem = describeProblem(provider, scope);
  if (problem !== undefined) throw new InvalidProviderError(token, problem);
}

function describeProblem(provider: Provider, scope: Scope | undefined): string | undefined {
  if (typeof provider !== 'object' || provider === null) return 'the provider is not an object';
  const given = kinds.filter((kind) => kind in provider);
  if (given.length !== 1) return `the provider has ${given.join(' and ') || 'no kind'}`;
  if (!scopes.includes(scope)) return `the scope '${String(scope)}' does not exist`;
  if ('useClass' in provider && !isConstructor(provider.useClass)) return 'useClass is not a class';
  if ('useFactory' in provider) return describeFactoryProblem(provider);
  if ('useExisting' in provider && !isToken(provider.useExisting)) {
    return 'useExisting is not a token';
  }
  if (scope !== undefined && !('useClass' in provider)) {
    return `${given[0]} takes no scope: it makes nothing`;
  }
  return undefined;
}

function describeFactoryProblem({ useFactory, inject }: FactoryProvider<unknown>) {
  if (typeof useFactory !== 'function') return 'useFactory is not a function';
  if (inject === undefined) return describeMissing(useFactory, 0);
  if (!Array.isArray(inject)) return 'inject is not a list of dependencies';
  const wrong = inject.findIndex((entry) => !isToken(entry) && !(entry instanceof Injection));
  if (wrong >= 0) return `entry ${wrong} of inject is not a token`;
  return describeMissing(useFactory, inject.length);
}

function describeMissing(useFactory: { readonly length: number }, listed: number) {
  return useFactory.length > listed
    ? `useFactory takes ${useFactory.length} parameters and inject lists ${listed}`
    : undefined;
}

/** Arrow functions, methods and async functions have no prototype, classes do. */
function isConstructor(value: unknown): value is Constructor {
  return typeof value === 'function' && value.prototype !== undefined;
}
