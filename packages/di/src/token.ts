/** A class that can be constructed, whatever its parameters. */
export type Constructor<T = unknown> = new (...args: never[]) => T;

/** A class, abstract ones included. */
export type Class<T = unknown> = abstract new (...args: never[]) => T;

/**
 * A typed token, made by {@link token}. Two tokens with one name are two tokens.
 */
export class InjectionToken<T> {
  /** Carries the type; there is no such property at run time. */
  declare protected readonly type: T;

  constructor(readonly name: string) {}
}

/** What a container is asked for: a class, a string, a symbol or a typed token. */
export type Token<T = unknown> = Class<T> | InjectionToken<T> | string | symbol;

/**
 * Creates a token that carries the type of what it stands for.
 *
 * @param name - Text for error messages; need not be unique.
 * @returns A new token, equal only to itself.
 */
export function token<T>(name: string): InjectionToken<T> {
  return new InjectionToken<T>(name);
}

/** Tells whether a value can be used as a token. */
export function isToken(value: unknown): value is Token {
  return (
    typeof value === 'function' ||
    typeof value === 'string' ||
    typeof value === 'symbol' ||
    value instanceof InjectionToken
  );
}

/**
 * Names a token for people.
 *
 * @returns The class's name, the string in quotes, `Symbol(description)` or `token(name)`.
 */
export function describeToken(token: Token): string {
  if (typeof token === 'function') return token.name || '(anonymous class)';
  if (typeof token === 'string') return `'${token}'`;
  if (typeof token === 'symbol') return token.toString();
  return token instanceof InjectionToken ? `token(${token.name})` : String(token);
}

/** Names every token of a path, in order: `A → B → C`. */
export function describePath(path: readonly Token[]): string {
  return path.map(describeToken).join(' → ');
}
