import type { InterceptorReference } from '../metadata/class-metadata.js';
import { classMetadata, methodMetadata } from '../metadata/storage.js';

/**
 * Puts interceptors around every method of a class, or around one: the first that is written is the
 * outermost, the class's around the method's. They run after guards and parameters. Interceptors of
 * base classes and of overridden methods are further out.
 *
 * @param interceptors - Functions `(ctx, next)`, or container tokens of such functions.
 */
export function UseInterceptor(
  ...interceptors: readonly InterceptorReference[]
): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol): void => {
    const owner =
      key === undefined ? classMetadata(target) : methodMetadata(target, key, 'UseInterceptor');
    // Decorators run from the bottom up; the list reads from the top down.
    owner.interceptors.unshift(...interceptors);
  };
}

/**
 * Leaves out the interceptors of the methods that this method overrides. Its own interceptors still
 * run, and so do those of its class and of base classes.
 */
export function SkipInheritedInterceptors(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedInterceptors').skips.add('interceptors');
  };
}
