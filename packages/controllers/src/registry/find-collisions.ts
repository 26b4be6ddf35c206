import { createRouter, type Router, SetupError } from '@fairlead/core';
import { RouteRegistrationError } from '../errors/definition-errors.js';
import type { RouteDefinition } from './definition.js';
import { joinPath } from './join-path.js';

/** A route as a router compares it, and who declares it. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly owner: string;
}

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
  const createEmpty = emptyCopies(router);
  const table = createEmpty();
  const entries: Entry[] = router.routes.map(({ method, pattern }) => ({
    method,
    path: pattern,
    owner: 'the router itself',
  }));
  for (const entry of entries) refusal(table, entry);
  return routes.flatMap((route) => {
    const entry = { ...route, path: joinPath(prefix, route.path), owner: route.handler };
    const error = refusal(table, entry);
    if (error === undefined) {
      entries.push(entry);
      return [];
    }
    const rival = entries.find((earlier) => {
      const pair = createEmpty();
      return refusal(pair, earlier) === undefined && refusal(pair, entry) !== undefined;
    });
    return new RouteRegistrationError(route.handler, describe(entry, rival, error), error);
  });
}

function describe(entry: Entry, rival: Entry | undefined, error: SetupError): string {
  if (rival === undefined || rival.path === undefined) return error.message;
  return `${entry.method} ${entry.path} matches the same paths as ${rival.method} ${rival.path} of ${rival.owner}. Change the path of one of the two.`;
}

/** Why a router does not take a route; undefined when it has taken it. */
function refusal(table: Router, { method, path }: Entry): SetupError | undefined {
  try {
    table.on(method, path, () => {});
    return undefined;
  } catch (error) {
    if (error instanceof SetupError) return error;
    throw error;
  }
}

/** Makes routers that compare paths as another does, which tells only whether it may be nested. */
function emptyCopies(router: Router): () => Router {
  const flags = [true, false];
  const options = flags
    .flatMap((caseSensitive) => flags.map((strict) => ({ caseSensitive, strict })))
    .find((candidate) => {
      try {
        createRouter(candidate).route('/', router);
        return true;
      } catch {
        return false;
      }
    });
  return () => createRouter(options);
}
