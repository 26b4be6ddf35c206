import type { Injectables } from '@fairlead/di';
import { hasMethod } from '../metadata/fields.js';
import type { Fault } from '../metadata/mistakes.js';
import {
  CLASS_METHODS,
  findReferenceProblems,
  type Guard,
  type InterceptorReference,
  type MiddlewareReference,
  type ReferenceKind,
  type SharedReferences,
} from '../metadata/references.js';
import { CLASS_OR_METHOD, createDecorator, METHOD } from './decorator.js';

/**
 * Adds guards to every route of a class, or to one method. They run from left to right and top to
 * bottom, in this order: the plugin's, those of base classes, the class's, those of overridden methods,
 * the method's.
 *
 * @param guards - Functions, classes with `canActivate`, or container tokens for either; at least one.
 */
export const UseGuard: <const List extends readonly Guard[]>(
  ...guards: Injectables<List>
) => ClassDecorator & MethodDecorator = useDecorator('UseGuard', 'guard', 'guards', {
  code: 'NO_GUARDS',
  problem: 'has no arguments, so it guards nothing.',
  fix: 'pass at least one guard, or remove it.',
});

/**
 * Adds middleware to every route of a class, or to one method. It runs after the plugin's middleware
 * and before the guards, from left to right and top to bottom, the class's before the method's.
 * Middleware of base classes runs before the class's, and middleware of overridden methods before the
 * method's.
 *
 * @param middleware - Functions `(ctx, next)`, classes with `use`, or container tokens for either; at
 *   least one.
 */
export const UseMiddleware: <const List extends readonly MiddlewareReference[]>(
  ...middleware: Injectables<List>
) => ClassDecorator & MethodDecorator = useDecorator('UseMiddleware', 'middleware', 'middleware', {
  problem: 'has no arguments.',
  fix: 'pass middleware, or remove it.',
});

/**
 * Wraps every method of a class, or one method, in interceptors. The first is the outermost. The
 * plugin's interceptors wrap the class's, which wrap the method's. Interceptors of base classes wrap the
 * class's, and those of overridden methods wrap the method's. They run after the guards, once the
 * parameters have been read.
 *
 * @param interceptors - Functions `(ctx, next)`, classes with `intercept`, or container tokens for
 *   either; at least one.
 */
export const UseInterceptor: <const List extends readonly InterceptorReference[]>(
  ...interceptors: Injectables<List>
) => ClassDecorator & MethodDecorator = useDecorator(
  'UseInterceptor',
  'interceptor',
  'interceptors',
  {
    problem: 'has no arguments.',
    fix: 'pass an interceptor, or remove it.',
  },
);

/** @param lack - What is wrong with a call without arguments; the problem follows the call. */
function useDecorator<Decorator>(
  name: string,
  kind: ReferenceKind,
  list: keyof SharedReferences,
  lack: Fault,
): Decorator {
  return createDecorator({
    name,
    target: CLASS_OR_METHOD,
    takes: Number.POSITIVE_INFINITY,
    example: `@${name}(${kind})`,
    acceptsClass: (value) => hasMethod(Object(value).prototype, CLASS_METHODS[kind]),
    read: (spell, _first, _second, values) => {
      const call = spell(`@${name}()`);
      if (values.length === 0) return { faults: [{ ...lack, problem: `${call} ${lack.problem}` }] };
      const label = (index: number): string => `${kind} ${index}`;
      const faults = findReferenceProblems(call, kind, values, label, spell);
      if (faults.length > 0) return { faults };
      return { apply: (metadata) => ({ [list]: [...values, ...metadata[list]] }) };
    },
  });
}

/**
 * Excludes the guards of the methods that this method overrides. Its own guards and those of its class
 * and base classes still run.
 */
export const SkipInheritedGuards: () => MethodDecorator = skipDecorator('Guards', 'guards');

/**
 * Excludes the middleware of the methods that this method overrides. Its own middleware and that of
 * its class and base classes still run.
 */
export const SkipInheritedMiddleware: () => MethodDecorator = skipDecorator(
  'Middleware',
  'middleware',
);

/**
 * Excludes the interceptors of the methods that this method overrides. Its own interceptors and those
 * of its class and base classes still run.
 */
export const SkipInheritedInterceptors: () => MethodDecorator = skipDecorator(
  'Interceptors',
  'interceptors',
);

function skipDecorator(suffix: string, list: keyof SharedReferences): () => MethodDecorator {
  return createDecorator({
    name: `SkipInherited${suffix}`,
    target: METHOD,
    takes: 0,
    read: () => ({ apply: ({ skips }) => ({ skips: new Set([...skips, list]) }) }),
  });
}
