import type { Class, InjectionToken, Token } from './token.js';

/** Whether a parameter receives one instance, a list of all of them, or a lazy handle. */
export type InjectionKind = 'one' | 'all' | 'lazy';

/**
 * A lazy, optional or multiple dependency, created by {@link lazy}, {@link optional} or
 * {@link all}. `T` is the type that the parameter receives.
 */
export class Injection<T = unknown> {
  /** Type information only. The property does not exist at run time. */
  declare protected readonly type: T;

  constructor(
    readonly kind: InjectionKind,
    readonly token: () => Token,
    readonly optional: boolean,
  ) {}
}

/** An entry of `static inject` or of a factory's `inject`, or the argument of `@Inject`. */
export type Dependency<T = unknown> = Token<T> | Injection<T>;

/** The handle that a parameter with a lazy dependency receives. */
export interface Lazy<T> {
  /**
   * The instance, resolved on every read: always the same singleton, but a new transient.
   *
   * @throws {InjectionError} When it cannot be resolved, or is still under construction.
   */
  readonly value: T;
}

/** The arguments that a factory or constructor receives for a list of dependencies. */
export type Resolved<D extends readonly Dependency[]> = { [I in keyof D]: ResolvedOne<D[I]> };

/** Strings and symbols carry no type. With `never`, the receiver can declare any type. */
type ResolvedOne<D> =
  D extends Injection<infer T>
    ? T
    : D extends InjectionToken<infer T>
      ? T
      : D extends Class<infer T>
        ? T
        : never;

/**
 * Breaks a cycle by resolving a dependency only when the `value` of its handle is read.
 *
 * @param target - Returns the token. Called after all modules have been evaluated.
 */
export function lazy<T>(target: () => Token<T>): Injection<Lazy<T>> {
  return new Injection('lazy', target, false);
}

/** Declares a dependency that is `undefined` when nothing provides the token. */
export function optional<T>(token: Token<T>): Injection<T | undefined> {
  return new Injection('one', () => token, true);
}

/** Declares a dependency on every provider of a token, in registration order. */
export function all<T>(token: Token<T>): Injection<T[]> {
  return new Injection('all', () => token, false);
}

/** Wraps a plain token in an `Injection`. */
export function toInjection(dependency: Dependency): Injection {
  return dependency instanceof Injection
    ? dependency
    : new Injection('one', () => dependency, false);
}
