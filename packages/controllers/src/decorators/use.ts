import type { AdditiveKind, MethodMetadata } from '../metadata/class-metadata.js';
import {
  findReferenceProblems,
  type Guard,
  type InterceptorReference,
  isClassOf,
  type MiddlewareReference,
  type ReferenceKind,
} from '../metadata/references.js';
import { CLASS_OR_METHOD, createDecorator, type Fault, METHOD } from './decorator.js';

/**
 * Adds guards to every route of a class, or to one method. They run from left to right and top to
 * bottom, in this order: the plugin's, those of base classes, the class's, those of overridden methods,
 * the method's.
 *
 * @param guards - Functions, classes with `canActivate`, or container tokens for either; at least one.
 */
export function UseGuard(...guards: readonly Guard[]): ClassDecorator & MethodDecorator;
export function UseGuard(...guards: readonly unknown[]): unknown {
  const lack = {
    code: 'NO_GUARDS',
    problem: '@UseGuard() has no arguments, so it guards nothing.',
    fix: 'pass at least one guard, or remove it.',
  };
  return useReferences('UseGuard', 'guard', 'guards', guards, lack);
}

/**
 * Adds middleware to every route of a class, or to one method. It runs after the plugin's middleware
 * and before the guards, from left to right and top to bottom, the class's before the method's.
 * Middleware of base classes runs before the class's, and middleware of overridden methods before the
 * method's.
 *
 * @param middleware - Functions `(ctx, next)`, classes with `use`, or container tokens for either; at
 *   least one.
 */
export function UseMiddleware(
  ...middleware: readonly MiddlewareReference[]
): ClassDecorator & MethodDecorator;
export function UseMiddleware(...middleware: readonly unknown[]): unknown {
  const lack = {
    problem: '@UseMiddleware() has no arguments.',
    fix: 'pass middleware, or remove it.',
  };
  return useReferences('UseMiddleware', 'middleware', 'middleware', middleware, lack);
}

/**
 * Wraps every method of a class, or one method, in interceptors. The first is the outermost. The
 * plugin's interceptors wrap the class's, which wrap the method's. Interceptors of base classes wrap the
 * class's, and those of overridden methods wrap the method's. They run after the guards, once the
 * parameters have been read.
 *
 * @param interceptors - Functions `(ctx, next)`, classes with `intercept`, or container tokens for
 *   either; at least one.
 */
export function UseInterceptor(
  ...interceptors: readonly InterceptorReference[]
): ClassDecorator & MethodDecorator;
export function UseInterceptor(...interceptors: readonly unknown[]): unknown {
  const lack = {
    problem: '@UseInterceptor() has no arguments.',
    fix: 'pass an interceptor, or remove it.',
  };
  return useReferences('UseInterceptor', 'interceptor', 'interceptors', interceptors, lack);
}

/** @param lack - The problem to report without arguments. */
function useReferences(
  name: string,
  kind: ReferenceKind,
  list: AdditiveKind,
  values: readonly unknown[],
  lack: Fault,
): unknown {
  return createDecorator(
    {
      name,
      target: CLASS_OR_METHOD,
      takes: Number.POSITIVE_INFINITY,
      example: `@${name}(${kind})`,
      acceptsClass: (value) => isClassOf(kind, value),
      read: (_first, _second, count) => {
        if (count === 0) return { faults: [lack] };
        const label = (index: number): string => `${kind} ${index}`;
        const faults = findReferenceProblems(`@${name}()`, kind, values, label);
        if (faults.length > 0) return { faults };
        // Decorators run from bottom to top.
        return { apply: (metadata) => void (metadata[list] as unknown[]).unshift(...values) };
      },
    },
    values,
  );
}

/**
 * Excludes the guards of the methods that this method overrides. Its own guards and those of its class
 * and base classes still run.
 */
export function SkipInheritedGuards(): MethodDecorator;
export function SkipInheritedGuards(...values: readonly unknown[]): unknown {
  return skipInherited('SkipInheritedGuards', 'guards', values);
}

/**
 * Excludes the middleware of the methods that this method overrides. Its own middleware and that of
 * its class and base classes still run.
 */
export function SkipInheritedMiddleware(): MethodDecorator;
export function SkipInheritedMiddleware(...values: readonly unknown[]): unknown {
  return skipInherited('SkipInheritedMiddleware', 'middleware', values);
}

/**
 * Excludes the interceptors of the methods that this method overrides. Its own interceptors and those
 * of its class and base classes still run.
 */
export function SkipInheritedInterceptors(): MethodDecorator;
export function SkipInheritedInterceptors(...values: readonly unknown[]): unknown {
  return skipInherited('SkipInheritedInterceptors', 'interceptors', values);
}

function skipInherited(name: string, kind: AdditiveKind, values: readonly unknown[]): unknown {
  const apply = ({ skips }: MethodMetadata): void => void skips.add(kind);
  return createDecorator({ name, target: METHOD, takes: 0, read: () => ({ apply }) }, values);
}
