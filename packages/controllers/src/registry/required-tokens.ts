import { describeToken, type Token } from '@fairlead/di';
import { isGuardClass } from '../guards/guard.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import type { ControllerDefinition } from './definition.js';

/**
 * Lists what the container has to supply, with a text for people of what it is.
 *
 * @param definitions - The controllers.
 * @param middleware - What precedes all of their routes.
 * @returns Controllers, guard classes and tokens, and middleware tokens; each once.
 */
export function requiredTokens(
  definitions: readonly ControllerDefinition[],
  middleware: readonly MiddlewareReference[],
): Map<Token, string> {
  const tokens = new Map<Token, string>();
  const need = (token: Token, subject: string): void => {
    if (!tokens.has(token)) tokens.set(token, subject);
  };
  for (const { controller, name } of definitions) need(controller, `the controller ${name}`);
  for (const reference of middleware) {
    if (typeof reference !== 'function') {
      need(reference, `the middleware ${describeToken(reference)} of the plugin`);
    }
  }
  for (const route of definitions.flatMap(({ routes }) => routes)) {
    for (const guard of route.guards) {
      if (typeof guard === 'function' && !isGuardClass(guard)) continue;
      need(guard, `the guard ${describeToken(guard)} of ${route.handler}`);
    }
    for (const reference of route.middleware) {
      if (typeof reference === 'function') continue;
      need(reference, `the middleware ${describeToken(reference)} of ${route.handler}`);
    }
  }
  return tokens;
}
