import { atLine, isIntended } from '@fairlead/options';
import { roleOf } from '../annotations/description.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { takesRequest } from '../router/fetch-handler.js';
import {
  createPrefixMatch,
  type Entry,
  type MountedRoute,
  type MountedRouter,
} from '../router/mount.js';
import {
  isBelow,
  joinPaths,
  overlaps,
  type PathRules,
  parsePattern,
  parsePrefix,
  parseSegments,
  shapeOf,
  shapesOf,
} from '../router/pattern.js';
import type { Handler } from '../router/route-options.js';
import {
  type AnyRouter,
  addPrefix,
  addRoute,
  intendedIn,
  prefixesTo,
  type Route,
} from '../router/router.js';
import type { VersionSource } from '../router/version-source.js';
import { conflictOf, InvalidPatternError, mountedTwice } from '../setup/setup-error.js';

/** A route where it is mounted. */
export interface PlacedRoute extends MountedRoute {
  /** Method and pattern, for messages. */
  readonly name: string;
  readonly router: AnyRouter;
  /** Its pattern as compared with prefixes. */
  readonly shapes: readonly string[];
  /** Whether one of its routers or functions is intended. */
  readonly isIntended: boolean;
}

/** A middleware, or a router with its routes, where it is registered. */
export interface Place {
  /** How messages list it. Empty for a router of the application, whose routes they list instead. */
  readonly name: string;
  readonly prefix: string;
  /** The prefix as compared with patterns. */
  readonly shapes: readonly string[];
  readonly middleware?: Middleware;
  /** All middleware of the same call; none for a router. */
  readonly call: readonly Middleware[];
  readonly router?: AnyRouter;
  /** Undefined for middleware, and for a router that is not filled yet. */
  readonly routes?: readonly PlacedRoute[];
}

/** All that is registered on an application, in order. */
export interface Layout {
  readonly places: readonly Place[];
  /** How paths are compared with the prefixes of middleware. */
  readonly rules: PathRules;
  /** All routes, with the middleware of the application that runs before them. */
  readonly listed: readonly Route[];
  /** The valid routes of each mounted router. */
  readonly mounts: ReadonlyMap<MountedRouter, readonly PlacedRoute[]>;
  /** All valid routes. */
  readonly routes: readonly PlacedRoute[];
  /** Whether the application has its own response to unknown paths. */
  readonly respondsToUnknown: boolean;
  /** Whether each route has to declare who may call it. */
  readonly declaresAccess: boolean;
  /** Where requests name versions. */
  readonly versions: VersionSource | undefined;
  /**
   * Routers that are mounted twice at one prefix, routes of different routers that handle the same requests,
   * and routes with a parameter of the same name as one of their prefix.
   */
  readonly problems: readonly Error[];
}

/** How an application compares paths, and what handles the requests that its registrations do not. */
export interface LayoutSettings {
  readonly rules: PathRules;
  readonly notFound: Handler | undefined;
  readonly declaresAccess: boolean;
  readonly versions: VersionSource | undefined;
}

/**
 * Finds out which middleware, routers and routes are where.
 *
 * @param unfilled - A router that will have routes: one of the entries, or one that is mounted later.
 */
export function createLayout(
  entries: readonly Entry[],
  settings: LayoutSettings,
  unfilled?: AnyRouter,
): Layout {
  const added = new Map(
    entries.map((one) => [one, 'router' in one ? addPrefix(one.prefix, one.router.routes) : []]),
  );
  const rules = rulesOfPrefixes(added, settings);
  const places: Place[] = [];
  const listed: Route[] = [];
  const mounts = new Map<MountedRouter, readonly PlacedRoute[]>();
  const problems: Error[] = [];
  const byShape = new Map<string, Pick<Route, 'pattern' | 'options'>[]>();
  for (const entry of entries) {
    const { prefix } = entry;
    const shapes = shapesOf(parseSegments(prefix), { ...rules, strict: false });
    if ('middleware' in entry) {
      const { middleware: call } = entry;
      for (const middleware of call) {
        const name = middleware.name ? `the middleware '${middleware.name}'` : 'a middleware';
        places.push({ name, prefix, shapes, middleware, call });
      }
      continue;
    }
    const { router, isOwn } = entry;
    const shapeIn = (one: MountedRouter) => shapeOf(parsePrefix(one.prefix), router.rules);
    const twin = [...mounts.keys()].find(
      (other) => other.router === router && shapeIn(other) === shapeIn(entry),
    );
    const above = places.filter(({ middleware }) => middleware);
    const marked = new Set(intendedIn(router));
    const routes: PlacedRoute[] = [];
    for (const route of added.get(entry) ?? []) {
      const { method, options, handlers } = route;
      const segments = parseSegments(route.pattern);
      const shapes = shapesOf(segments, rules);
      const covering = above.filter((place) => isBelow(place.shapes, shapes));
      const upstream = covering.flatMap(({ middleware }) => middleware ?? []);
      let index = 0;
      const partial = above.flatMap((place) => {
        const { prefix, middleware } = place;
        if (covering.includes(place)) index += 1;
        else if (middleware && overlaps(place.shapes, shapes)) {
          // Few starts need it.
          const matches = (path: string) => createPrefixMatch(parseSegments(prefix), rules)(path);
          return [{ prefix, middleware, index, matches }];
        }
        return [];
      });
      listed.push({ ...route, upstream, ...(partial.length > 0 && { partial }), router });
      // Its routes would conflict with themselves.
      if (twin !== undefined) continue;
      try {
        const pattern = parsePattern(route.pattern, segments);
        routes.push({
          method,
          pattern,
          options,
          handlers,
          functions: [...upstream, ...handlers],
          name: `${method} ${pattern.text}`,
          router,
          shapes,
          isIntended: marked.has(options) || handlers.some(isIntended),
        });
      } catch (error) {
        if (!(error instanceof InvalidPatternError)) throw error;
        error.message += atLine(options);
        problems.push(error);
      }
    }
    if (twin === undefined) mounts.set(entry, routes);
    else problems.push(mountedTwice('app', prefix, atLine(entry) + atLine(twin)));
    for (const { method, pattern, options } of routes) {
      const key = `${method} ${shapeOf(pattern, router.rules)}`;
      const route = { pattern: pattern.text, options };
      const existing = addRoute(byShape, key, route);
      if (existing !== undefined) problems.push(conflictOf(method, existing, route));
    }
    const isFilled = unfilled === undefined || prefixesTo(router, unfilled).length === 0;
    const name = isOwn ? '' : `the router mounted at '${prefix}'`;
    places.push({ name, prefix, shapes, call: [], router, ...(isFilled && { routes }) });
  }
  if (unfilled !== undefined && places.every(({ middleware, routes }) => middleware ?? routes)) {
    places.push({ name: 'a router that is mounted later', prefix: '/', shapes: [], call: [] });
  }
  const respondsToUnknown = settings.notFound !== undefined;
  const routes = [...mounts.values()].flat();
  const { declaresAccess, versions } = settings;
  return {
    ...{ places, rules, listed, mounts, routes, respondsToUnknown },
    ...{ declaresAccess, versions, problems },
  };
}

/** Returns the prefixes at which a router is mounted, also within other routers. */
export function prefixesIn({ places }: Layout, router: AnyRouter | undefined): readonly string[] {
  return places.flatMap(({ router: mounted, prefix }) =>
    mounted && router ? prefixesTo(mounted, router).map((inner) => joinPaths(prefix, inner)) : [],
  );
}

/** Returns rules by which a prefix matches every path that a route below it may match. */
function rulesOfPrefixes(
  added: ReadonlyMap<Entry, readonly Route[]>,
  { rules: own, notFound }: LayoutSettings,
): PathRules {
  const entries = [...added];
  const all = [own, ...entries.flatMap(([one]) => ('router' in one ? one.router.rules : []))];
  const first = entries.findIndex(([one]) => 'middleware' in one && one.prefix !== '/');
  const behind = first === -1 ? [] : entries.slice(first);
  const routes = behind.flatMap(([, below]) => below);
  const functions = [
    ...behind.flatMap(([one]) => ('middleware' in one ? one.middleware : [])),
    ...routes.flatMap(({ handlers }) => handlers),
    notFound,
  ];
  // Express ignores case, as handlers of web requests may.
  const ignoresCase =
    first !== -1 &&
    (functions.some((one) => roleOf(one) === 'foreign') ||
      routes.some(({ options }) => takesRequest(options)));
  return { ...own, caseSensitive: all.every(({ caseSensitive }) => caseSensitive) && !ignoresCase };
}
