import { describeToken, isToken, type Token } from '@fairlead/di';
import { isGuardClass } from '../guards/guard.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import type { ControllerDefinition } from './definition.js';

/**
 * Lists what the container has to supply, with a text for people of what it is.
 *
 * @param definitions - The controllers.
 * @param middleware - What precedes all of their routes.
 * @returns Controllers, guard classes, and tokens of guards, middleware and interceptors; each once.
 */
export function requiredTokens(
  definitions: readonly ControllerDefinition[],
  middleware: readonly MiddlewareReference[],
): Map<Token, string> {
  const tokens = new Map<Token, string>();
  const need = (token: Token, subject: string): void => {
    if (!tokens.has(token)) tokens.set(token, subject);
  };
  const needSteps = (kind: string, references: readonly unknown[], owner: string): void => {
    for (const reference of references) {
      if (typeof reference === 'function' || !isToken(reference)) continue;
      need(reference, `the ${kind} ${describeToken(reference)} of ${owner}`);
    }
  };
  for (const { controller, name } of definitions) need(controller, `the controller ${name}`);
  needSteps('middleware', middleware, 'the plugin');
  for (const route of definitions.flatMap(({ routes }) => routes)) {
    needSteps('guard', route.guards, route.handler);
    for (const guard of route.guards.filter(isGuardClass)) {
      need(guard, `the guard ${describeToken(guard)} of ${route.handler}`);
    }
    needSteps('middleware', route.middleware, route.handler);
    needSteps('interceptor', route.interceptors, route.handler);
  }
  return tokens;
}
