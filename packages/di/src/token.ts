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

/** Identifies a dependency: a class, a string, a symbol or a typed token. */
export type Token<T = unknown> = Class<T> | InjectionToken<T> | string | symbol;

/**
 * Creates a token for dependencies of type `T`.
 *
 * @param name - The name in error messages. It need not be unique.
 * @returns A new token, equal only to itself.
 */
export function token<T>(name: string): InjectionToken<T> {
  return new InjectionToken<T>(name);
}

/** Whether a value can be used as a token. */
export function isToken(value: unknown): value is Token {
  return (
    typeof value === 'function' ||
    typeof value === 'string' ||
    typeof value === 'symbol' ||
    value instanceof InjectionToken
  );
}

/**
 * Formats a token for messages.
 *
 * @returns The class's name, the string in quotes, `Symbol(description)` or `token(name)`.
 */
export function describeToken(token: Token): string {
  if (typeof token === 'function') return token.name || '(anonymous class)';
  if (typeof token === 'string') return `'${token}'`;
  if (typeof token === 'symbol') return token.toString();
  return token instanceof InjectionToken ? `token(${token.name})` : String(token);
}

/** Formats a path of tokens for messages, as `A → B → C`. */
export function describePath(path: readonly Token[]): string {
  return path.map(describeToken).join(' → ');
}
