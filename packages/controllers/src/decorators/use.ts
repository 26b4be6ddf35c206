import { ControllerError } from '../errors/controller-error.js';
import { classOrMethodMetadata, methodMetadata } from '../metadata/class-metadata.js';
import type { Guard, InterceptorReference, MiddlewareReference } from '../metadata/references.js';

// Decorators run from bottom to top, so each of these adds to the front of its list.

/**
 * Adds guards to every route of a class, or to one method. They run from left to right and top to
 * bottom, in this order: the plugin's, those of base classes, the class's, those of overridden methods,
 * the method's.
 *
 * @param guards - Functions, classes with `canActivate`, or container tokens for either; at least one.
 * @throws {ControllerError} 500 `NO_GUARDS`, without any guard.
 */
export function UseGuard(...guards: readonly Guard[]): ClassDecorator & MethodDecorator {
  if (guards.length === 0) {
    throw new ControllerError(
      '@UseGuard() has no arguments, so it guards nothing. Pass at least one guard, or remove it.',
      { code: 'NO_GUARDS' },
    );
  }
  return (target: object, key?: string | symbol): void => {
    classOrMethodMetadata(target, key, 'UseGuard').guards.unshift(...guards);
  };
}

/**
 * Adds middleware to every route of a class, or to one method. It runs after the plugin's middleware
 * and before the guards, from left to right and top to bottom, the class's before the method's.
 * Middleware of base classes runs before the class's, and middleware of overridden methods before the
 * method's.
 *
 * @param middleware - Functions `(ctx, next)`, classes with `use`, or container tokens for either.
 */
export function UseMiddleware(
  ...middleware: readonly MiddlewareReference[]
): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol): void => {
    classOrMethodMetadata(target, key, 'UseMiddleware').middleware.unshift(...middleware);
  };
}

/**
 * Wraps every method of a class, or one method, in interceptors. The first is the outermost. The
 * plugin's interceptors wrap the class's, which wrap the method's. Interceptors of base classes wrap the
 * class's, and those of overridden methods wrap the method's. They run after the guards, once the
 * parameters have been read.
 *
 * @param interceptors - Functions `(ctx, next)`, classes with `intercept`, or container tokens for
 *   either.
 */
export function UseInterceptor(
  ...interceptors: readonly InterceptorReference[]
): ClassDecorator & MethodDecorator {
  return (target: object, key?: string | symbol): void => {
    classOrMethodMetadata(target, key, 'UseInterceptor').interceptors.unshift(...interceptors);
  };
}

/**
 * Excludes the guards of the methods that this method overrides. Its own guards and those of its class
 * and base classes still run.
 */
export function SkipInheritedGuards(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedGuards').skips.add('guards');
  };
}

/**
 * Excludes the middleware of the methods that this method overrides. Its own middleware and that of
 * its class and base classes still run.
 */
export function SkipInheritedMiddleware(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedMiddleware').skips.add('middleware');
  };
}

/**
 * Excludes the interceptors of the methods that this method overrides. Its own interceptors and those
 * of its class and base classes still run.
 */
export function SkipInheritedInterceptors(): MethodDecorator {
  return (target, key): void => {
    methodMetadata(target, key, 'SkipInheritedInterceptors').skips.add('interceptors');
  };
}
