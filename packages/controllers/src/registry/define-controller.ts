import type { Constructor } from '@fairlead/di';
import { NoRoutesError, NotAControllerError } from '../errors/definition-errors.js';
import type { MethodMetadata, StatedRoute } from '../metadata/class-metadata.js';
import { type InheritedMetadata, inheritedMetadata } from '../metadata/inherit.js';
import type { ParameterDefinition } from '../metadata/parameter.js';
import { placeOf } from '../metadata/place.js';
import { ownMetadata } from '../metadata/storage.js';
import type { ControllerDefinition, RouteDefinition } from './definition.js';
import { joinPath } from './join-path.js';

/**
 * Reads what the decorators of a class, and of those that it extends, state.
 *
 * @param target - A class with `@Controller()`.
 * @returns Its frozen definition; whether it can work is not checked.
 * @throws {NotAControllerError} 500, when it is no class, or carries no `@Controller()` of its own.
 * @throws {NoRoutesError} 500, when no method has a route decorator.
 */
export function defineController(target: Constructor): ControllerDefinition {
  if (typeof target !== 'function') throw new NotAControllerError(String(target));
  const name = target.name || '(anonymous class)';
  const stated = ownMetadata(target)?.controller;
  if (stated === undefined) throw new NotAControllerError(name);
  const { prefix, version } = stated;
  const inherited = inheritedMetadata(target);
  const routes = [...inherited.methods].flatMap(([methodName, method]) =>
    method.routes.map((route) =>
      defineRoute(
        { name, inherited, methodName, method },
        route,
        joinPath(version, prefix, route.path),
      ),
    ),
  );
  if (routes.length === 0) throw new NoRoutesError(name, placeOf(target));
  return Object.freeze({
    controller: target,
    name,
    prefix,
    version,
    routes: Object.freeze(routes),
  });
}

/** A method of a controller, while its routes are defined. */
interface Owner {
  readonly name: string;
  readonly inherited: InheritedMetadata;
  readonly methodName: string | symbol;
  readonly method: Readonly<MethodMetadata>;
}

function defineRoute(owner: Owner, route: StatedRoute, path: string): RouteDefinition {
  const { inherited, methodName, method } = owner;
  const { options } = route;
  return Object.freeze({
    method: route.method,
    path,
    methodName,
    handler: `${owner.name}.${String(methodName)}`,
    parameters: Object.freeze(defineParameters(method)),
    guards: Object.freeze([...inherited.guards, ...method.guards]),
    middleware: Object.freeze([...inherited.middleware, ...method.middleware]),
    interceptors: Object.freeze([...inherited.interceptors, ...method.interceptors]),
    headers: Object.freeze([...method.headers]),
    redirect: method.redirect,
    status: method.status ?? options.status,
    summary: options.summary,
    description: options.description,
    tags: Object.freeze([...(options.tags ?? [])]),
    deprecated: options.deprecated ?? false,
    response: options.response,
    metadata: new Map([...inherited.values, ...method.values]),
  });
}

function defineParameters({ parameters }: Readonly<MethodMetadata>): ParameterDefinition[] {
  return [...parameters]
    .map(([index, parameter]) => Object.freeze({ ...parameter, index }))
    .sort((a, b) => a.index - b.index);
}
