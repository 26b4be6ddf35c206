import { type Class, isToken, type Token } from '@fairlead/di';
import type { Diagnostic } from '../errors/controller-error.js';
import { RouteRegistrationError } from '../errors/startup-errors.js';
import { checkRedirect, type ResponseWriters } from '../invocation/response.js';
import { inheritedMetadata, locationOf, type MethodMetadata } from '../metadata/class-metadata.js';
import {
  CLASS_METHODS,
  isClassOf,
  type ReferenceKind,
  type SharedReferences,
} from '../metadata/references.js';
import { isStandardSchema } from '../metadata/standard-schema.js';
import type { ControllerDefinition, RouteDefinition } from './definition.js';

// An import of node:http would also load its fetch.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

/**
 * Finds all problems in a definition that do not depend on other controllers.
 *
 * @returns One error per problem, those of routes in their order.
 */
export function checkDefinition(definition: ControllerDefinition): RouteRegistrationError[] {
  const { controller, routes } = definition;
  const ofRoutes = routes.flatMap((route) =>
    [
      ...checkParameters(definition, route),
      ...checkTransforms(route),
      ...checkAllReferences(route),
      ...checkHeaders(route),
      ...checkStatus(route),
      ...(route.redirect === undefined ? [] : checkRedirect(route.redirect)),
    ].map(
      (diagnostic) => new RouteRegistrationError(route.handler, diagnostic, locationOf(controller)),
    ),
  );
  return [...ofRoutes, ...checkMethodsWithoutRoute(definition)];
}

/** Checks the guards, middleware and interceptors that the plugin adds to all routes. */
export function checkShared(shared: SharedReferences): RouteRegistrationError[] {
  return checkAllReferences(shared).map(
    (diagnostic) => new RouteRegistrationError('of any controller', diagnostic),
  );
}

function checkAllReferences(references: SharedReferences): Diagnostic[] {
  return [
    ...checkReferences('guard', references.guards),
    ...checkReferences('middleware', references.middleware),
    ...checkReferences('interceptor', references.interceptors),
  ];
}

function checkParameters({ controller }: ControllerDefinition, route: RouteDefinition) {
  const method: unknown = (controller.prototype as Record<string | symbol, unknown>)[
    route.methodName
  ];
  if (typeof method !== 'function') {
    return [{ problem: 'it is not a method of the class.', fix: 'decorate methods only.' }];
  }
  const decorated = new Set(route.parameters.map(({ index }) => index));
  // A function's length counts the parameters before the first one with a default.
  return Array.from({ length: method.length }, (_, index) => index)
    .filter((index) => !decorated.has(index))
    .map((index) => ({
      problem: `parameter ${index} has no decorator, so it would always be undefined.`,
      fix: "add a decorator, such as @Body(), @Param('id') or @Ctx(), or remove the parameter.",
    }));
}

function checkTransforms({ parameters }: RouteDefinition): Diagnostic[] {
  return parameters
    .filter(({ transform }) => transform !== undefined && !isTransform(transform))
    .map(({ index, transform }) => ({
      problem: `the transform of parameter ${index} is ${inspect(transform)}, which is not a function or a schema.`,
      fix: 'pass a function (value) => result, or a Standard Schema validator.',
    }));
}

function isTransform(transform: unknown): boolean {
  return typeof transform === 'function' || isStandardSchema(transform);
}

/** Formats a value. Loads node:util only if there is a problem to report. */
function inspect(value: unknown): string {
  return process.getBuiltinModule('node:util').inspect(value, { depth: 0 });
}

/** Checks that each reference is a function, a class or a token. In an import cycle it may be undefined. */
function checkReferences(kind: ReferenceKind, references: readonly unknown[]): Diagnostic[] {
  return references.flatMap((reference, index) => {
    if (reference === undefined) {
      return {
        problem: `${kind} ${index} is undefined.`,
        fix: 'pass a function, a class or a token. If an import cycle is the cause, move the import to a separate file.',
      };
    }
    if (!isToken(reference)) {
      return {
        problem: `${kind} ${index} is ${inspect(reference)}, which is not a function, a class or a token.`,
        fix: 'pass a function, a class or a token.',
      };
    }
    if (!isClass(reference) || isClassOf(kind, reference)) return [];
    const method = CLASS_METHODS[kind];
    return {
      problem: `${kind} ${index} is the class ${reference.name}, which has no method ${method}().`,
      fix: `add a method ${method}(${kind === 'guard' ? 'ctx' : 'ctx, next'}) to the class.`,
    };
  });
}

function isClass(reference: Token): reference is Class {
  return typeof reference === 'function' && /^class\b/.test(String(reference));
}

function checkHeaders({ headers }: RouteDefinition): Diagnostic[] {
  return headers.flatMap(({ name, value }) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch (cause) {
      const problem = `its header '${name}' cannot be sent: ${String(cause)}.`;
      return { problem, fix: 'correct the arguments of @SetHeader().', cause };
    }
  });
}

function checkStatus({ status }: RouteDefinition): Diagnostic[] {
  if (status === undefined) return [];
  if (Number.isInteger(status) && status >= 200 && status <= 599) return [];
  return [{ problem: `its status is ${String(status)}.`, fix: 'use an integer from 200 to 599.' }];
}

/** Finds methods whose decorators have no effect because no route is declared or inherited. */
function checkMethodsWithoutRoute({
  controller,
  name,
}: ControllerDefinition): RouteRegistrationError[] {
  return [...inheritedMetadata(controller).methods].flatMap(([key, method]) => {
    const decorators = method.routes.length > 0 ? [] : routeDecoratorsOf(method);
    if (decorators.length === 0) return [];
    const diagnostic = {
      problem: `the method has no route, so these decorators have no effect: ${decorators.join(', ')}.`,
      fix: 'add @Get() or another route decorator, or remove them.',
    };
    return new RouteRegistrationError(`${name}.${String(key)}`, diagnostic, locationOf(controller));
  });
}

function routeDecoratorsOf(method: Readonly<MethodMetadata>): string[] {
  const decorators = {
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
  return Object.entries(decorators).flatMap(([decorator, isPresent]) =>
    isPresent ? `@${decorator}()` : [],
  );
}

/**
 * Compiles the response schemas of all routes.
 *
 * @returns One error for each route whose schema does not compile.
 */
export function checkResponses(
  definitions: readonly ControllerDefinition[],
  writers: ResponseWriters,
): RouteRegistrationError[] {
  return definitions.flatMap(({ controller, routes }) =>
    routes.flatMap(({ handler, response }) => {
      try {
        writers.of(response);
        return [];
      } catch (cause) {
        const problem = `its response schema does not compile: ${String(cause)}`;
        const fix = 'correct `response` in the options of the route, or remove it.';
        const diagnostic = { problem, fix, cause };
        return [new RouteRegistrationError(handler, diagnostic, locationOf(controller))];
      }
    }),
  );
}
