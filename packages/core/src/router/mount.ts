import { type Context, internals } from '../context/context.js';
import type { MatchedRoute, RouteTable } from '../context/route-match.js';
import { type Branch, compose } from '../pipeline/compose.js';
import type { Middleware } from '../pipeline/middleware.js';
import { type MountedRouter, mountedRoutes } from './mounted-routes.js';
import { Tree } from './tree.js';

/** A router that is ready to answer: chooses the pipeline of the route that matches. */
export type Mount = RouteTable & Branch;

/** A route with everything that is known of it before the first request. */
interface ReadyRoute extends MatchedRoute {
  readonly run: Middleware;
}

/**
 * Places a router, which gains no more routes, in an application. Each route's pipeline is composed
 * here, once.
 */
export function createMount(mounted: MountedRouter): Mount {
  const tree = new Tree<ReadyRoute>(mounted.router.rules);
  for (const { method, pattern, handlers } of mountedRoutes(mounted)) {
    const [handler, ...others] = handlers;
    // One alone needs no pipeline of its own: its `next` is that of the place the router stands in.
    const run = handler !== undefined && others.length === 0 ? handler : compose(handlers);
    const { text, names, endsInWildcard } = pattern;
    tree.insert(method, pattern, { pattern: text, names, endsInWildcard, run });
  }
  return Object.freeze({
    choose(ctx: Context): Middleware | undefined {
      const found = tree.find(ctx.method, ctx.path);
      if (found === undefined) return undefined;
      internals.setMatch(ctx, found);
      return found.value.run;
    },
    methods: (path: string) => tree.methods(path),
  });
}
