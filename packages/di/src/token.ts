import { describeValue, joinWords } from '@fairlead/options';
import { markCopy, otherCopyOf } from './copies.js';

/** A class that can be constructed, with any parameters. */
export type Constructor<T = unknown> = new (...args: never[]) => T;

/** A class, which may be abstract. */
export type Class<T = unknown> = abstract new (...args: never[]) => T;

/**
 * A typed token, created by {@link token}. Two tokens with the same name are different tokens.
 */
export class InjectionToken<T> {
  /** Type information only. The property does not exist at run time. */
  declare protected readonly type: T;

  constructor(readonly name: string) {}
}
markCopy(InjectionToken);

/** Identifies a dependency: a class, a string, a symbol or a typed token. */
export type Token<T = unknown> = Class<T> | InjectionToken<T> | string | symbol;

/** Whether a value can be used as a token. */
export function isToken(value: unknown): value is Token {
  return (
    typeof value === 'function' ||
    typeof value === 'string' ||
    typeof value === 'symbol' ||
    value instanceof InjectionToken
  );
}

/** Whether a value is a function that cannot be a class: an arrow function, a method, an async function. */
export function isArrow(value: unknown): boolean {
  return typeof value === 'function' && value.prototype === undefined;
}

/**
 * Formats a token for messages.
 *
 * @returns The class's name, the string in quotes, `Symbol(description)`, `Symbol.for('key')` or `token(name)`.
 */
export function describeToken(token: Token): string {
  if (isArrow(token)) return describeValue(token);
  if (typeof token === 'function') return token.name || '(anonymous class)';
  if (typeof token === 'string') return `'${token}'`;
  if (typeof token === 'symbol') {
    const key = Symbol.keyFor(token);
    return key === undefined ? token.toString() : `Symbol.for('${key}')`;
  }
  const isTyped = token instanceof InjectionToken || otherCopyOf(token) !== undefined;
  return isTyped ? `token(${(token as InjectionToken<unknown>).name})` : describeValue(token);
}

/** Writes a token as code, for a fix. A symbol and a typed token are constants whose names are unknown. */
export function writeToken(token: Token): string {
  const isConstant = typeof token === 'symbol' || typeof token === 'object';
  return isConstant ? 'token' : describeToken(token);
}

/** Where a class that another package creates has the names of its dependencies, in the order of `static inject`. */
const INJECT_NAMES = Symbol.for('fairlead:inject-names');

/** Whether a class has names for its dependencies. */
export function hasInjectNames(target: Token): boolean {
  return typeof target === 'function' && Object.hasOwn(target, INJECT_NAMES);
}

/** Whether a class names its dependencies itself, so that its parameters need no decorators. */
export function hasInject(target: Token | undefined): boolean {
  return Object.hasOwn(Object(target), 'inject');
}

/** Formats a parameter for messages, as `parameter 0 of Users`, or `inject.users of users` if it has a name. */
export function describeParameter(index: number | undefined, target: Token): string {
  const name = hasInjectNames(target) && Reflect.get(Object(target), INJECT_NAMES)[index ?? -1];
  return `${name ? `inject.${name}` : `parameter ${index}`} of ${describeToken(target)}`;
}

/** Formats a path of tokens for messages, as `A → B → C`. */
export function describePath(path: readonly Token[]): string {
  return path.map(describeToken).join(' → ');
}

/**
 * Formats tokens for messages, each once.
 *
 * @returns A list, such as `A, B, C and 7 more`.
 */
export function describeTokens(tokens: readonly Token[]): string {
  const names = [...new Set(tokens.map(describeToken))];
  const hidden = names.length - LONGEST_LIST;
  return joinWords(hidden > 0 ? [...names.slice(0, LONGEST_LIST), `${hidden} more`] : names, 'and');
}

/** The number of tokens that a message names before it counts the others. */
const LONGEST_LIST = 3;
