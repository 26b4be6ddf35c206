import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Class, isToken, type Token } from '@fairlead/di';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import { isGuardClass } from '../guards/guard.js';
import { redirectProblem } from '../invocation/redirect.js';
import type { ControllerDefinition, RouteDefinition } from './definition.js';

/**
 * Finds everything in a definition that could not work, without a look at any other controller.
 *
 * @returns One error per problem, in the order of the routes; empty when there is none.
 */
export function checkDefinition(definition: ControllerDefinition): RouteRegistrationError[] {
  return definition.routes.flatMap((route) =>
    [
      ...parameterProblems(definition, route),
      ...referenceProblems('guard', route.guards),
      ...referenceProblems('middleware', route.middleware),
      ...referenceProblems('interceptor', route.interceptors),
      ...headerProblems(route),
      ...statusProblems(route),
      ...redirectProblems(route),
    ].map((problem) => new RouteRegistrationError(route.handler, problem)),
  );
}

/** A parameter without a decorator would be undefined in every request. */
function parameterProblems({ controller }: ControllerDefinition, route: RouteDefinition): string[] {
  const method: unknown = (controller.prototype as Record<string | symbol, unknown>)[
    route.methodName
  ];
  if (typeof method !== 'function') return ['it is no method of the class.'];
  const decorated = new Set(route.parameters.map(({ index }) => index));
  // The length of a function counts the parameters before the first that has a default.
  return Array.from({ length: method.length }, (_, index) => index)
    .filter((index) => !decorated.has(index))
    .map(
      (index) =>
        `its parameter ${index} has no decorator, so nothing can be passed for it. Add one, such as @Body(), @Param('id') or @Ctx(), or remove the parameter.`,
    );
}

/** In an import cycle, what a decorator names may not be there yet. */
function referenceProblems(
  kind: 'guard' | 'middleware' | 'interceptor',
  references: readonly unknown[],
): string[] {
  return references.flatMap((reference, index) => {
    if (!isToken(reference)) {
      return `its ${kind} ${index} is ${String(reference)}. Give a function or a token; where its import is part of a cycle, move it to a file of its own.`;
    }
    if (isGuardClass(reference) || !isClass(reference)) return [];
    const fix =
      kind === 'guard'
        ? 'Give it canActivate().'
        : 'Register a function with the container under a token, and give the token.';
    return `its ${kind} ${index} is the class ${reference.name}, which cannot be called. ${fix}`;
  });
}

function isClass(reference: Token): reference is Class {
  return typeof reference === 'function' && /^class\b/.test(String(reference));
}

function headerProblems({ headers }: RouteDefinition): string[] {
  return headers.flatMap(({ name, value }) => {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [];
    } catch (error) {
      return `its header '${name}' cannot be sent: ${String(error)}. Correct what @SetHeader() is given.`;
    }
  });
}

function statusProblems({ status }: RouteDefinition): string[] {
  if (status === undefined) return [];
  if (Number.isInteger(status) && status >= 200 && status <= 599) return [];
  return [`its status is ${String(status)}. Use an integer from 200 to 599.`];
}

function redirectProblems({ redirect }: RouteDefinition): string[] {
  const problem = redirect === undefined ? undefined : redirectProblem(redirect);
  return problem === undefined ? [] : [problem];
}
