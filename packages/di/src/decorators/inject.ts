import { all, type Dependency } from '../dependency.js';
import { markParameter } from '../metadata.js';
import type { Constructor, Token } from '../token.js';

/** A decorator for a constructor's parameters, and for nothing else. */
export type InjectDecorator = (target: Constructor, key: undefined, index: number) => void;

/**
 * States what a constructor parameter receives, whatever its type.
 *
 * @param dependency - A token, or what `lazy`, `optional` or `all` returns.
 */
export function Inject(dependency: Dependency): InjectDecorator {
  return (target, _key, index) => markParameter(target, index, { inject: { dependency } });
}

/** Gives a constructor parameter every provider of a token, in the order of registration. */
export function InjectAll(token: Token): InjectDecorator {
  return Inject(all(token));
}

/**
 * Gives a constructor parameter `undefined` instead of an error when nothing provides its
 * token (an empty list with {@link InjectAll}).
 */
export function Optional(): InjectDecorator {
  return (target, _key, index) => markParameter(target, index, { optional: true });
}
