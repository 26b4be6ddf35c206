import { ControllerError } from '../errors/controller-error.js';
import type { Guard } from '../guards/guard.js';
import { classMetadata, methodMetadata } from '../metadata/storage.js';

/**
 * Puts guards before every route of a class, or before one method. They run in the order in which
 * they are written, from left to right and top to bottom, the class's before the method's. Guards of
 * base classes and of overridden methods run first.
 *
 * @param guards - Functions, classes with `canActivate`, or container tokens of either; at least one.
 * @throws {ControllerError} 500 `NO_GUARDS`, without any: what was to be guarded would be open.
 */
export function UseGuard(...guards: readonly Guard[]): ClassDecorator & MethodDecorator {
  if (guards.length === 0) {
    throw new ControllerError(
      '@UseGuard() was given no guard, so it guards nothing. Give it one, or remove it.',
      { code: 'NO_GUARDS' },
    );
  }
  return (target: object, key?: string | symbol): void => {
    const owner =
      key === undefined ? classMetadata(target) : methodMetadata(target, key, 'UseGuard');
    // Decorators run from the bottom up; the list reads from the top down.
    owner.guards.unshift(...guards);
  };
}

/**
 * Leaves out the guards of the methods that this method overrides. Its own guards still run, and so
 * do those of its class and of base classes.
 */
export function SkipInheritedGuards(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedGuards').skips.add('guards');
  };
}
