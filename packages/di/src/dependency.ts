import type { Class, InjectionToken, Token } from './token.js';

/** How the instance of an {@link Injection} is handed over. */
export type InjectionKind = 'one' | 'all' | 'lazy';

/**
 * A dependency that is more than a plain token, made by {@link lazy}, {@link optional} or
 * {@link all}. `T` is what the parameter receives.
 */
export class Injection<T = unknown> {
  /** Carries the type; there is no such property at run time. */
  declare protected readonly type: T;

  constructor(
    readonly kind: InjectionKind,
    readonly token: () => Token,
    readonly optional: boolean,
  ) {}
}

/** One entry of `static inject`, of a factory's `inject`, or the argument of `@Inject`. */
export type Dependency<T = unknown> = Token<T> | Injection<T>;

/** The handle that a lazy dependency receives. */
export interface Lazy<T> {
  /**
   * The instance, resolved anew at each read (a singleton is one and the same).
   *
   * @throws {InjectionError} When it cannot be resolved, or is being built at this moment.
   */
  readonly value: T;
}

/** What a factory or constructor receives for a list of dependencies. */
export type Resolved<D extends readonly Dependency[]> = { [I in keyof D]: ResolvedOne<D[I]> };

/** Strings and symbols say nothing of their type: `never` lets the receiver state it. */
type ResolvedOne<D> =
  D extends Injection<infer T>
    ? T
    : D extends InjectionToken<infer T>
      ? T
      : D extends Class<infer T>
        ? T
        : never;

/**
 * Breaks a cycle: the dependency is resolved when its handle's `value` is read.
 *
 * @param target - Returns the token; called after all modules have been evaluated.
 */
export function lazy<T>(target: () => Token<T>): Injection<Lazy<T>> {
  return new Injection('lazy', target, false);
}

/** Asks for `undefined` instead of an error when nothing provides the token. */
export function optional<T>(token: Token<T>): Injection<T | undefined> {
  return new Injection('one', () => token, true);
}

/** Asks for every provider of a token, in the order of registration. */
export function all<T>(token: Token<T>): Injection<T[]> {
  return new Injection('all', () => token, false);
}

/** Gives every dependency the one form that resolution works on. */
export function toInjection(dependency: Dependency): Injection {
  return dependency instanceof Injection
    ? dependency
    : new Injection('one', () => dependency, false);
}
