import {
  type Application,
  createApp,
  createRouter,
  intended,
  type Middleware,
  type PathRules,
  type Route,
  type VersionSource,
} from '@fairlead/core';
import { groupByMount } from '@fairlead/core/extend';
import { versionHeaders } from '@fairlead/options';

/** How an application routes a request. */
export interface Explanation {
  /** Path of the request in normal form, or as given if it is malformed. */
  readonly path: string;
  /** The route that handles the request. */
  readonly match:
    | {
        readonly route: Route;
        readonly params: object;
        /** The middleware of the application that runs before the router, in order. */
        readonly upstream: readonly Middleware[];
      }
    | undefined;
  /** Status of the response if no route handles the request: 204 to OPTIONS, 400, 404, 405 or 406. */
  readonly status: number | undefined;
  /** Whether the path has routes, but none of the version. */
  readonly isOtherVersion: boolean;
  /** At most ten other routes and why they don't handle it, the most similar first. */
  readonly others: readonly { readonly route: Route; readonly reason: string }[];
}

/**
 * Explains which route handles a request, and why similar routes do not. Middleware and handlers do not run: it
 * sends the request to an application that has only the patterns of the routes.
 *
 * @param method - In upper case.
 * @param target - Path of the request, with or without a query.
 * @param versions - Where requests name the version of a route.
 * @param version - The version that the request names; none by default.
 */
export async function explain(
  routes: readonly Route[],
  method: string,
  target: string,
  versions?: VersionSource,
  version?: string,
): Promise<Explanation> {
  let match: { readonly route: Route; readonly params: object } | undefined;
  let path = target;
  // Its default is a matter of the application itself.
  const source = versions && intended({ ...versions });
  const app = createApp(source && { versions: source }).use((ctx, next) => {
    path = ctx.path;
    return next();
  });
  for (const mounted of groupByMount(routes)) {
    const router = intended(createRouter(mounted[0]?.router?.rules));
    for (const route of mounted) {
      const { version: own } = route.options;
      router.on(route.method, route.pattern, { ...(own && { version: own }) }, ({ params }) => {
        match = { route, params };
        return null;
      });
    }
    app.route('/', router);
  }
  const headers = versionHeaders(version, versions);
  const { status, isVersioned } = await send(app, method, target, headers);
  const isOtherVersion = isVersioned && (status === 400 || status === 406);
  if (status === 400 && !isOtherVersion)
    return { path, match: undefined, status, isOtherVersion, others: [] };
  const wanted = version ?? versions?.default;
  const whyNot = createComparison(path);
  const others = [];
  for (const route of routes.filter((one) => one !== match?.route)) {
    const { matching, reason } = await whyNot(route);
    others.push({
      route,
      matching,
      reason: reason ?? whyNotMatch(route, method, wanted, match?.route),
    });
  }
  const nearest = others.sort((one, other) => other.matching - one.matching).slice(0, 10);
  return {
    path,
    match: match && { ...match, upstream: upstreamOf(match.route, path) },
    status: match === undefined ? status : undefined,
    isOtherVersion,
    others: nearest.map(({ route, reason }) => ({ route, reason })),
  };
}

/** Lists what runs before the router of a route for a request, in order. */
function upstreamOf({ upstream = [], partial = [] }: Route, path: string): readonly Middleware[] {
  const running = partial.filter(({ matches }) => matches(path));
  const at = (place: number) =>
    running.filter(({ index }) => index === place).map(({ middleware }) => middleware);
  return [...upstream.flatMap((one, place) => [...at(place), one]), ...at(upstream.length)];
}

interface Answer {
  readonly status: number;
  /** Whether the version of the request has determined the response. */
  readonly isVersioned: boolean;
}

/** Returns what tells how an application responds to a request with a target in any form. */
async function send(
  app: Application,
  method: string,
  target: string,
  given: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  // Routes for QUERY reject requests without it.
  const headers = { 'Content-Type': 'text/plain', ...given };
  const request = new Request('http://localhost/', { method, headers });
  const response = await app.fetch(request, { target });
  return { status: response.status, isVersioned: response.headers.has('Vary') };
}

function whyNotMatch(
  { method, options: { version } }: Route,
  requested: string,
  wanted: string | undefined,
  found: Route | undefined,
): string {
  if (version !== undefined && version !== wanted)
    return `it is for version ${version}, not ${wanted ?? 'for requests without one'}`;
  const handles =
    method === 'ALL' || method === requested || `${method} ${requested}` === 'GET HEAD';
  return found === undefined || !handles
    ? `it handles ${method}, not ${requested}`
    : `it matches, but ${found.method} ${found.pattern} takes precedence`;
}

/**
 * Creates a function that compares the pattern of a route with a path, segment by segment. It returns the number of
 * leading segments that match, and why the next one does not. A huge number if all match.
 *
 * @param path - In normal form.
 */
function createComparison(path: string) {
  const results = new Map<string, Promise<boolean>>();
  /** Whether a pattern of a router with these rules matches a path. Routes share most of their segments. */
  const matches = (pattern: string, path: string, rules: Partial<PathRules>): Promise<boolean> => {
    const key = JSON.stringify([pattern, path, rules]);
    const known = results.get(key) ?? isMatch(pattern, path, rules);
    results.set(key, known);
    return known;
  };
  return async ({ pattern, router }: Route): Promise<{ matching: number; reason?: string }> => {
    const { rules = {} } = router ?? {};
    if (await matches(pattern, path, rules)) return { matching: Number.MAX_SAFE_INTEGER };
    const [segments, texts] = [pattern, path].map((one) => split(one, rules)) as [
      string[],
      string[],
    ];
    for (const [index, text] of texts.entries()) {
      const segment = segments[index];
      if (segment === undefined) break;
      if (await matches(`/${segment}`, `/${text}`, rules)) continue;
      const reason = describeMismatch(segment, text);
      return { matching: index, reason: `segment ${index + 1} ${reason}` };
    }
    const count = segments.length === 1 ? '1 segment' : `${segments.length} segments`;
    return {
      matching: Math.min(segments.length, texts.length),
      reason: `it has ${count}, but the path has ${texts.length}`,
    };
  };
}

async function isMatch(pattern: string, path: string, rules: Partial<PathRules>): Promise<boolean> {
  const router = createRouter(rules).get(pattern, () => null);
  return (await send(createApp().route('/', router), 'GET', path)).status === 200;
}

/** Splits a path or a pattern into its segments. Ignores a slash at the end if the router does. */
function split(path: string, { strict = false }: Partial<PathRules>): readonly string[] {
  const trimmed = path.endsWith('/') && !strict ? path.slice(0, -1) : path;
  return trimmed.length < 2 ? [] : trimmed.slice(1).split('/');
}

function describeMismatch(segment: string, text: string): string {
  if (text === '') return `is empty, but ${segment} needs a value`;
  const onlyCase = segment.toLowerCase() === text.toLowerCase();
  return `is '${text}', not '${segment}'${onlyCase ? ' (case-sensitive)' : ''}`;
}
