import { all, type Dependency } from '../dependency.js';
import { markParameter } from '../metadata.js';
import type { Constructor, Token } from '../token.js';

/** A decorator that is allowed on constructor parameters only. */
export type InjectDecorator = (target: Constructor, key: undefined, index: number) => void;

/**
 * Injects a dependency into a constructor parameter, regardless of the parameter's type.
 *
 * @param dependency - A token, or the result of `lazy`, `optional` or `all`.
 */
export function Inject(dependency: Dependency): InjectDecorator {
  return (target, _key, index) => markParameter(target, index, { inject: { dependency } });
}

/** Injects an array with one instance for each provider of a token, in registration order. */
export function InjectAll(token: Token): InjectDecorator {
  return Inject(all(token));
}

/**
 * Makes a constructor parameter optional. It receives `undefined` when nothing provides its
 * token, or an empty array with {@link InjectAll}.
 */
export function Optional(): InjectDecorator {
  return (target, _key, index) => markParameter(target, index, { optional: true });
}
