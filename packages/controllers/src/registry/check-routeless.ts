import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { MethodMetadata } from '../metadata/class-metadata.js';
import { inheritedMetadata } from '../metadata/inherit.js';
import { placeOf } from '../metadata/place.js';
import type { ControllerDefinition } from './definition.js';

/**
 * Finds methods that have no route, of their own or inherited, and yet decorators which have an
 * effect on routes only.
 *
 * @returns One error per method, in their order; empty when there is none.
 */
export function checkRouteless({
  controller,
  name,
}: ControllerDefinition): RouteRegistrationError[] {
  const methods = [...inheritedMetadata(controller).methods];
  return methods.flatMap(([key, method]) => {
    const decorators = method.routes.length > 0 ? [] : decoratorsOf(method);
    if (decorators.length === 0) return [];
    const flaw = {
      problem: `the method has no route for its ${decorators.join(', ')}.`,
      fix: 'add @Get() or another route decorator, or remove what has no effect.',
    };
    return new RouteRegistrationError(`${name}.${String(key)}`, flaw, placeOf(controller));
  });
}

function decoratorsOf(method: Readonly<MethodMetadata>): string[] {
  const stated = {
    UseGuard: method.guards.length > 0,
    UseMiddleware: method.middleware.length > 0,
    UseInterceptor: method.interceptors.length > 0,
    SkipInheritedGuards: method.skips.has('guards'),
    SkipInheritedMiddleware: method.skips.has('middleware'),
    SkipInheritedInterceptors: method.skips.has('interceptors'),
    SetHeader: method.headers.length > 0,
    HttpCode: method.status !== undefined,
    Redirect: method.redirect !== undefined,
  };
  return Object.entries(stated).flatMap(([decorator, isStated]) =>
    isStated ? `@${decorator}()` : [],
  );
}
