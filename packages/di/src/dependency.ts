import { describeValue, isClass } from '@fairlead/options';
import { INSTALL_ONE_COPY, markCopy, otherCopyOf } from './copies.js';
import { InvalidArgumentError, type Mistake } from './errors/injection-errors.js';
import { type Class, InjectionToken, isArrow, isToken, type Token } from './token.js';

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
markCopy(Injection);

/** An entry of `static inject` or of a factory's `inject`, or the argument of `@Inject`. */
export type Dependency<T = unknown> = Token<T> | Injection<T>;

/** The handle that a parameter with a lazy dependency receives. */
export interface Lazy<T> {
  /**
   * The instance, resolved on every read: the same instance for a singleton, and a new one for a transient.
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
 * Creates a token for dependencies of type `T`.
 *
 * @param name - The name in error messages. It need not be unique.
 * @returns A new token, equal only to itself.
 * @throws {InvalidArgumentError} When the name is not a string, or empty.
 */
export function token<T>(name: string): InjectionToken<T> {
  if (typeof name !== 'string' || name === '') {
    const problem = `token() cannot use ${describeValue(name)} as name.`;
    const fix = "pass the name that error messages show, as in token<Mailer>('Mailer').";
    throw new InvalidArgumentError([{ problem, fix }], name);
  }
  return new InjectionToken<T>(name);
}

/**
 * Breaks a cycle by resolving a dependency only when the `value` of its handle is read.
 *
 * @param target - Returns the token. Called after all modules have been evaluated.
 * @throws {InvalidArgumentError} When `target` is not a function that returns the token.
 */
export function lazy<T>(target: () => Token<T>): Injection<Lazy<T>> {
  if (typeof target !== 'function' || isClass(target)) {
    const name = isClass(target) ? target.name : 'TheClass';
    const problem = `lazy() received ${describeValue(target)} instead of a function that returns the token.`;
    throw new InvalidArgumentError([{ problem, fix: `write lazy(() => ${name}).` }], target);
  }
  return new Injection('lazy', target, false);
}

/**
 * Declares a dependency that is `undefined` when nothing provides the token.
 *
 * @throws {InvalidArgumentError} When `token` cannot be a token.
 */
export function optional<T>(token: Token<T>): Injection<T | undefined> {
  return createInjection('optional', token);
}

/**
 * Declares a dependency on every provider of a token, in registration order.
 *
 * @throws {InvalidArgumentError} When `token` cannot be a token.
 */
export function all<T>(token: Token<T>): Injection<T[]> {
  return createInjection('all', token);
}

function createInjection<T>(name: 'optional' | 'all', token: Token): Injection<T> {
  // An import cycle can make the token undefined. The container reports that with the parameter.
  const mistake = token === undefined ? undefined : findTokenMistake(token);
  if (mistake !== undefined) {
    const problem = `${name}(): ${mistake.problem}`;
    throw new InvalidArgumentError([{ ...mistake, problem }], token);
  }
  return new Injection(name === 'all' ? 'all' : 'one', () => token, name === 'optional');
}

/** Wraps a plain token in an `Injection`. */
export function toInjection(dependency: Dependency): Injection {
  return dependency instanceof Injection
    ? dependency
    : new Injection('one', () => dependency, false);
}

/** Explains why a value cannot be a token. Returns undefined if it can. */
export function findTokenMistake(value: unknown): Mistake | undefined {
  if (isArrow(value)) {
    const fix = 'pass the class itself, or lazy(() => TheClass) where a dependency can be lazy.';
    return { problem: `the token is ${describeValue(value)}, which is not a class.`, fix };
  }
  if (isToken(value)) return undefined;
  const files = otherCopyOf(value);
  if (files !== undefined) {
    const problem = `the token is from another copy of @fairlead/di. The copies are ${files}.`;
    return { problem, fix: INSTALL_ONE_COPY };
  }
  if (value === undefined) {
    const fix = 'check its import. It is undefined while two modules import each other.';
    return { problem: 'the token is undefined.', fix };
  }
  if (value instanceof Injection) {
    const problem = 'the token is a result of lazy(), optional() or all().';
    return { problem, fix: 'pass the token alone.' };
  }
  return { problem: `the token is ${describeValue(value)}.`, fix: tokenFix(value) };
}

function tokenFix(value: unknown): string {
  if (Array.isArray(value)) return 'pass one token.';
  const isForwardReference = typeof value === 'object' && value !== null && 'forwardRef' in value;
  return isForwardReference
    ? 'write lazy(() => TheClass) instead of forwardRef(() => TheClass).'
    : 'pass a class, a string, a symbol or the result of token().';
}
