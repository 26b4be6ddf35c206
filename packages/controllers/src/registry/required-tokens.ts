import { describeToken, isToken, type Token } from '@fairlead/di';
import { isGuardClass } from '../guards/guard.js';
import type { MiddlewareReference } from '../metadata/class-metadata.js';
import type { ControllerDefinition } from './definition.js';
import type { Subject } from './subject.js';

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
): Map<Token, Subject> {
  const tokens = new Map<Token, Subject>();
  const need = (token: Token, subject: Subject): void => {
    if (!tokens.has(token)) tokens.set(token, subject);
  };
  for (const { controller, name } of definitions) {
    need(controller, { text: `the controller ${name}`, controller });
  }
  const needAll = (kind: string, references: readonly unknown[], owner: Subject): void => {
    for (const token of references.filter(isRequired)) {
      need(token, { ...owner, text: `the ${kind} ${describeToken(token)} of ${owner.text}` });
    }
  };
  needAll('middleware', middleware, { text: 'the plugin' });
  for (const { controller, routes } of definitions) {
    for (const route of routes) {
      const owner: Subject = { text: route.handler, controller };
      needAll('guard', route.guards, owner);
      needAll('middleware', route.middleware, owner);
      needAll('interceptor', route.interceptors, owner);
    }
  }
  return tokens;
}

/** Functions are taken as they are; what is no token is reported elsewhere. */
function isRequired(reference: unknown): reference is Token {
  return isGuardClass(reference) || (typeof reference !== 'function' && isToken(reference));
}
