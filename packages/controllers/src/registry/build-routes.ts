import {
  type Constructor,
  type ContainerInterface,
  container as globalContainer,
} from '@fairlead/di';
import { throwProblems } from '../errors/start-error.js';
import { type CompileResponse, ResponseWriters } from '../invocation/response-writers.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import { type Assembly, assembleRoutes } from './assemble-routes.js';
import { checkMiddleware } from './check-definition.js';
import { checkResponses } from './check-responses.js';
import { ControllerRegistry } from './controller-registry.js';
import type { BuiltRoute, ControllerDefinition } from './definition.js';
import { Instances } from './instances.js';
import { requiredTokens } from './required-tokens.js';

/** How the routes of a single controller are built. */
export interface BuildRoutesOptions {
  /** Precedes the path of each route; none by default. */
  readonly prefix?: string;
  /** Precedes the middleware of each route; none by default. */
  readonly middleware?: readonly MiddlewareReference[];
  /** Supplies the controller, its guards and middleware; the global container by default. */
  readonly container?: ContainerInterface;
  /** Is told of a request scope that could not be disposed; `console.warn` by default. */
  readonly warn?: (message: string) => void;
  /** Compiles the response schemas of routes, which are not applied without it. */
  readonly compileResponse?: CompileResponse;
}

/**
 * Builds the routes of one controller without registering them.
 *
 * @param target - A class with `@Controller()`, or its definition.
 * @param options - Prefix, middleware and container.
 * @returns Frozen descriptions with method, path and handlers, in the order of the methods.
 * @throws {ControllerError} 500, as `registerController` does, save for collisions.
 */
export function buildRoutes(
  target: Constructor | ControllerDefinition,
  options: BuildRoutesOptions = {},
): readonly BuiltRoute[] {
  const definition = toDefinition(target);
  const assembly = toAssembly(options);
  throwProblems(checkMiddleware(assembly.middleware));
  throwProblems(checkResponses([definition], assembly.writers));
  throwProblems(assembly.instances.check(requiredTokens([definition], assembly.middleware)));
  return assembleRoutes(definition, assembly);
}

/** Takes a definition as it is, and makes that of a class. */
function toDefinition(target: Constructor | ControllerDefinition): ControllerDefinition {
  return typeof target === 'object' && target !== null
    ? target
    : new ControllerRegistry().register(target);
}

/** Fills in what options leave out. */
export function toAssembly({
  prefix = '',
  middleware = [],
  container = globalContainer,
  warn = console.warn,
  compileResponse,
}: BuildRoutesOptions): Assembly {
  const instances = new Instances(container, warn);
  return { prefix, middleware, instances, writers: new ResponseWriters(compileResponse) };
}
