import { createRouter, RouteConflictError, type Router, SetupError } from '@fairlead/core';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { RouteDefinition } from './definition.js';
import { joinPath } from './join-path.js';

/**
 * Finds routes that a router would refuse, without registering anything on it: those whose path it
 * cannot read, and those that collide with one of its routes or with each other.
 *
 * @param router - Where the routes are to be registered.
 * @param prefix - Precedes the path of each.
 * @param routes - In the order of registration.
 */
export function findCollisions(
  router: Router,
  prefix: string,
  routes: readonly RouteDefinition[],
): RouteRegistrationError[] {
  const table = createRouter(router.rules);
  for (const { method, pattern } of router.routes) refusal(table, method, pattern);
  const owners = new Map<string, string>();
  return routes.flatMap((route) => {
    const path = joinPath(prefix, route.path);
    const error = refusal(table, route.method, path);
    if (error !== undefined) {
      return [new RouteRegistrationError(route.handler, describe(error, owners), error)];
    }
    owners.set(`${route.method} ${path}`, route.handler);
    return [];
  });
}

function describe(error: SetupError, owners: ReadonlyMap<string, string>): string {
  if (!(error instanceof RouteConflictError)) return error.message;
  const { method, added, existing } = error;
  const owner = owners.get(`${method} ${existing}`) ?? 'the router itself';
  return `${method} ${added} matches the same paths as ${method} ${existing} of ${owner}. Change the path of one of the two.`;
}

/** Why a router does not take a route; undefined when it has taken it. */
function refusal(table: Router, method: string, path: string): SetupError | undefined {
  try {
    table.on(method, path, () => {});
    return undefined;
  } catch (error) {
    if (error instanceof SetupError) return error;
    throw error;
  }
}
