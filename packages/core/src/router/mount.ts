import { type Context, internals, type MatchedRoute, type RouteTable } from '../context.js';
import { RouteConflictError } from '../errors/setup-error.js';
import { type Branch, compose, type Middleware } from '../pipeline.js';
import { joinPaths } from '../target.js';
import { type Pattern, parsePattern, shapeOf } from './pattern.js';
import type { Router } from './router.js';
import { Tree } from './tree.js';

/** A router with the prefix at which it is mounted. */
export interface MountedRouter {
  /** May contain parameters. */
  readonly prefix: string;
  readonly router: Router;
}

/** A route of a mounted router. */
export interface MountedRoute {
  readonly method: string;
  /** The full pattern, with the prefix. */
  readonly pattern: Pattern;
  readonly handlers: readonly Middleware[];
}

/**
 * Returns the routes of a mounted router, in order of registration.
 *
 * @throws {InvalidPatternError} When the prefix and a route have a parameter of the same name.
 */
export function mountedRoutes({ prefix, router }: MountedRouter): readonly MountedRoute[] {
  return router.routes.map(({ method, pattern, handlers }) => ({
    method,
    pattern: parsePattern(joinPaths(prefix, pattern)),
    handlers,
  }));
}

/**
 * Checks that no two mounted routers handle the same requests.
 *
 * @throws {RouteConflictError} For the first two routes with equivalent patterns for one method.
 */
export function assertNoConflict(routers: readonly MountedRouter[]): void {
  const byShape = new Map<string, string>();
  for (const mounted of routers) {
    for (const { method, pattern } of mountedRoutes(mounted)) {
      const key = `${method} ${shapeOf(pattern, mounted.router.rules)}`;
      const existing = byShape.get(key);
      if (existing) throw new RouteConflictError(method, existing, pattern.text);
      byShape.set(key, pattern.text);
    }
  }
}

/** A route with its composed pipeline. */
interface ComposedRoute extends MatchedRoute {
  readonly run: Middleware;
}

/** Composes the pipeline of each route, and returns the step that selects one for a request. */
export function createMount(mounted: MountedRouter): RouteTable & Branch {
  const tree = new Tree<ComposedRoute>(mounted.router.rules);
  for (const { method, pattern, handlers } of mountedRoutes(mounted)) {
    const [handler, ...others] = handlers;
    // A single handler needs no pipeline: its `next` is the `next` of the mounted router.
    const run = handler !== undefined && others.length === 0 ? handler : compose(handlers);
    const { text, names, endsInWildcard } = pattern;
    tree.insert(method, pattern, { pattern: text, names, endsInWildcard, run });
  }
  return Object.freeze({
    choose(ctx: Context): Middleware | undefined {
      const match = tree.find(ctx.method, ctx.path);
      if (match === undefined) return undefined;
      internals.setMatch(ctx, match);
      return match.value.run;
    },
    methods: (path: string) => tree.methods(path),
  });
}
