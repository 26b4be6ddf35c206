import type { MiddlewareReference } from '../metadata/class-metadata.js';
import { classMetadata, methodMetadata } from '../metadata/storage.js';

/**
 * Puts middleware before every route of a class, or before one method: after the plugin's and
 * before the guards, in the order in which it is written, the class's before the method's. Middleware
 * of base classes and of overridden methods runs first.
 *
 * @param middleware - Functions `(ctx, next)`, or container tokens of such functions.
 */
export function UseMiddleware(
  ...middleware: readonly MiddlewareReference[]
): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol): void => {
    const owner =
      key === undefined ? classMetadata(target) : methodMetadata(target, key, 'UseMiddleware');
    // Decorators run from the bottom up; the list reads from the top down.
    owner.middleware.unshift(...middleware);
  };
}

/**
 * Leaves out the middleware of the methods that this method overrides. Its own middleware still runs,
 * and so does that of its class and of base classes.
 */
export function SkipInheritedMiddleware(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedMiddleware').skips.add('middleware');
  };
}
