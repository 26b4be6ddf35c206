import { type Class, isToken, type Token } from '@fairlead/di';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { Flaw } from '../errors/problem-text.js';
import { isGuardClass } from '../guards/guard.js';
import { redirectFlaw } from '../invocation/redirect.js';
import { placeOf } from '../metadata/place.js';
import { isStandardSchema } from '../metadata/standard-schema.js';
import { checkRouteless } from './check-routeless.js';
import type { ControllerDefinition, RouteDefinition } from './definition.js';

// As @fairlead/core: an import statement would load all of fetch with it.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

/** Shows a value for people; loads node:util, so only where something is wrong. */
function show(value: unknown): string {
  return process.getBuiltinModule('node:util').inspect(value, { depth: 0 });
}

/**
 * Finds everything in a definition that could not work, without a look at any other controller.
 *
 * @returns One error per problem, those of routes in their order; empty when there is none.
 */
export function checkDefinition(definition: ControllerDefinition): RouteRegistrationError[] {
  const { controller, routes } = definition;
  const ofRoutes = routes.flatMap((route) =>
    [
      ...parameterFlaws(definition, route),
      ...transformFlaws(route),
      ...referenceFlaws('guard', route.guards),
      ...referenceFlaws('middleware', route.middleware),
      ...referenceFlaws('interceptor', route.interceptors),
      ...headerFlaws(route),
      ...statusFlaws(route),
      ...redirectFlaws(route),
    ].map((flaw) => new RouteRegistrationError(route.handler, flaw, placeOf(controller))),
  );
  return [...ofRoutes, ...checkRouteless(definition)];
}

/** Finds what is wrong with the middleware that precedes the routes of all controllers. */
export function checkMiddleware(middleware: readonly unknown[]): RouteRegistrationError[] {
  return referenceFlaws('middleware', middleware).map(
    (flaw) => new RouteRegistrationError('of any controller', flaw),
  );
}

/** A parameter without a decorator would be undefined in every request. */
function parameterFlaws({ controller }: ControllerDefinition, route: RouteDefinition): Flaw[] {
  const method: unknown = (controller.prototype as Record<string | symbol, unknown>)[
    route.methodName
  ];
  if (typeof method !== 'function') {
    return [{ problem: 'it is no method of the class.', fix: 'decorate methods only.' }];
  }
  const decorated = new Set(route.parameters.map(({ index }) => index));
  // The length of a function counts the parameters before the first that has a default.
  return Array.from({ length: method.length }, (_, index) => index)
    .filter((index) => !decorated.has(index))
    .map((index) => ({
      problem: `its parameter ${index} has no decorator, so nothing can be passed for it.`,
      fix: "add a decorator, such as @Body(), @Param('id') or @Ctx(), or remove the parameter.",
    }));
}

function transformFlaws({ parameters }: RouteDefinition): Flaw[] {
  return parameters
    .filter(({ transform }) => transform !== undefined && !isTransform(transform))
    .map(({ index, transform }) => ({
      problem: `the transform of its parameter ${index} is ${show(transform)}, which is no function and no schema.`,
      fix: 'give a function (value) => result, or a Standard Schema validator.',
    }));
}

function isTransform(transform: unknown): boolean {
  return typeof transform === 'function' || isStandardSchema(transform);
}

/**
 * Finds references that no function can be got from. In an import cycle, what a decorator names may
 * not be there yet.
 */
function referenceFlaws(
  kind: 'guard' | 'middleware' | 'interceptor',
  references: readonly unknown[],
): Flaw[] {
  return references.flatMap((reference, index) => {
    if (!isToken(reference) && reference !== undefined) {
      return {
        problem: `its ${kind} ${index} is ${show(reference)}, which is no function and no token.`,
        fix: 'give a function or a token.',
      };
    }
    if (!isToken(reference)) {
      return {
        problem: `its ${kind} ${index} is undefined.`,
        fix: 'give a function or a token; where its import is part of a cycle, move it to a file of its own.',
      };
    }
    if (!isClass(reference) || (kind === 'guard' && isGuardClass(reference))) return [];
    return {
      problem: `its ${kind} ${index} is the class ${reference.name}, which cannot be called.`,
      fix:
        kind === 'guard'
          ? 'give the class a method canActivate().'
          : 'register a function with the container under a token, and give the token.',
    };
  });
}

function isClass(reference: Token): reference is Class {
  return typeof reference === 'function' && /^class\b/.test(String(reference));
}

function headerFlaws({ headers }: RouteDefinition): Flaw[] {
  return headers.flatMap(({ name, value }) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch (cause) {
      const problem = `its header '${name}' cannot be sent: ${String(cause)}.`;
      return { problem, fix: 'correct what @SetHeader() is given.', cause };
    }
  });
}

function statusFlaws({ status }: RouteDefinition): Flaw[] {
  if (status === undefined) return [];
  if (Number.isInteger(status) && status >= 200 && status <= 599) return [];
  return [{ problem: `its status is ${String(status)}.`, fix: 'use an integer from 200 to 599.' }];
}

function redirectFlaws({ redirect }: RouteDefinition): Flaw[] {
  return redirect === undefined ? [] : [redirectFlaw(redirect) ?? []].flat();
}
