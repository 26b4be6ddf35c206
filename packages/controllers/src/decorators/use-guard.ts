import type { Guard } from '../guards/guard.js';
import { classMetadata, methodMetadata } from '../metadata/storage.js';

/**
 * Puts guards before every route of a class, or before one method. They run in the order in which
 * they are written, from left to right and top to bottom, the class's before the method's.
 *
 * @param guards - Functions, classes with `canActivate`, or container tokens of either.
 */
export function UseGuard(...guards: readonly Guard[]): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol): void => {
    const owner =
      key === undefined ? classMetadata(target) : methodMetadata(target, key, 'UseGuard');
    // Decorators run from the bottom up; the list reads from the top down.
    owner.guards.unshift(...guards);
  };
}
