import { createRouter, RouteConflictError, type Router, SetupError } from '@fairlead/core';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { Flaw } from '../errors/problem-text.js';
import { placeOf } from '../metadata/place.js';
import type { ControllerDefinition } from './definition.js';
import { joinPath } from './join-path.js';

/**
 * Finds routes that a router would refuse, without registering anything on it: those whose path it
 * cannot read, and those that collide with one of its routes or with each other.
 *
 * @param router - Where the routes are to be registered.
 * @param prefix - Precedes the path of each.
 * @param definitions - In the order of registration.
 */
export function findCollisions(
  router: Router,
  prefix: string,
  definitions: readonly ControllerDefinition[],
): RouteRegistrationError[] {
  const table = createRouter(router.rules);
  for (const { method, pattern } of router.routes) refusal(table, method, pattern);
  const owners = new Map<string, Owner>();
  const errors: RouteRegistrationError[] = [];
  for (const { controller, routes } of definitions) {
    for (const { method, path: own, handler } of routes) {
      const path = joinPath(prefix, own);
      const error = refusal(table, method, path);
      if (error === undefined) owners.set(`${method} ${path}`, { handler, controller });
      else
        errors.push(
          new RouteRegistrationError(handler, flawOf(error, owners), placeOf(controller)),
        );
    }
  }
  return errors;
}

/** Whose a route is. */
type Owner = { readonly handler: string; readonly controller: object };

function flawOf(cause: SetupError, owners: ReadonlyMap<string, Owner>): Flaw {
  if (!(cause instanceof RouteConflictError)) {
    const fix = 'correct the path of the route, or the prefix of its controller.';
    return { problem: cause.message, fix, cause };
  }
  const { method, added, existing } = cause;
  const problem = `${method} ${added} matches the same paths as ${method} ${existing} of ${describe(owners.get(`${method} ${existing}`))}.`;
  return { problem, fix: 'change the path of one of the two.', cause };
}

function describe(owner: Owner | undefined): string {
  if (owner === undefined) return 'the router itself';
  const place = placeOf(owner.controller);
  return place === undefined ? owner.handler : `${owner.handler} (${place})`;
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
