import { isIntended, nearestName } from '@fairlead/options';
import { descriptionOf, isResponder, mediaTypesOf, passesOn, roleOf } from '../description.js';
import { isPromiseLike } from '../next.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { acceptsAbsence, keysOf, type StandardSchema } from '../schema/schema.js';
import { describeOrder, type Entry } from './check-order.js';
import { type ListUpstream, type MountedRoute, type MountedRouter, readsBody } from './mount.js';
import { createOverlaps, type PathRules, type Segment } from './pattern.js';
import type { RouteInput, RouteOptions } from './route-options.js';
import type { AnyRouter } from './router.js';
import { Tree } from './tree.js';

/** A route with what surrounds it. */
interface PlacedRoute extends MountedRoute {
  readonly name: string;
  readonly router: AnyRouter;
  /** The functions that run for its requests, in order. */
  readonly functions: readonly Middleware[];
}

/** Reports a warning about a route. Warnings that differ only in the route become one. */
type Report = (code: string, subject: string, problem: string, route: string, fix: string) => void;

/**
 * Finds what can run, but is usually a mistake: routes that no request reaches, inputs that no request can
 * provide, parsers that are missing, and prefixes without routes.
 *
 * @param entries - All entries, in order of registration.
 * @param routesOf - The routes of the routers among the entries.
 * @param upstreams - What runs before the routes of each router.
 * @param rules - How the prefixes of middleware are compared.
 * @returns The code and the message of each warning.
 */
export function checkRoutes(
  entries: readonly Entry[],
  routesOf: ReadonlyMap<MountedRouter, readonly MountedRoute[]>,
  upstreams: ReadonlyMap<MountedRouter, ListUpstream>,
  rules: PathRules,
): readonly (readonly [code: string, message: string])[] {
  const found = new Map<string, { code: string; names: Set<string>; parts: string[] }>();
  const report: Report = (code, subject, problem, route, fix) => {
    const parts = [subject, problem, fix];
    const finding = found.get(parts.join()) ?? { code, names: new Set(), parts };
    finding.names.add(route);
    found.set(parts.join(), finding);
  };
  const routers = [...routesOf].map(([mount, routes]) =>
    routes.map((route): PlacedRoute => {
      const { method, pattern, handlers } = route;
      const before = upstreams.get(mount)?.(pattern.segments) ?? [];
      const name = `${method} ${pattern.text}`;
      return { ...route, name, router: mount.router, functions: [...before, ...handlers] };
    }),
  );
  const routes = routers.flat();
  for (const route of routes) {
    checkPattern(route, report);
    checkParsers(route, report);
    checkPages(route, report);
    for (const input of inputsOf(route.options)) checkInput(input, route, report);
  }
  checkReach(routers, report);
  checkPrefixes(entries, routes, rules, report);
  const warnings = [...found.values()].flatMap(
    ({ code, names, parts: [subject = '', problem = '', fix = ''] }) =>
      describeOrder(subject, problem, [...names], fix).map((message) => [code, message] as const),
  );
  const common = entries.filter((entry) => typeof entry === 'function');
  const all = entries.flatMap((entry) => ('middleware' in entry ? entry.middleware : []));
  const functions = new Set([...common, ...all, ...routes.flatMap(({ handlers }) => handlers)]);
  const doubts = [...functions].flatMap((one) =>
    isIntended(one) ? [] : (descriptionOf(one)?.warning?.() ?? []),
  );
  return [...warnings, ...doubts.map((message) => ['FAIRLEAD_OPTION', message] as const)];
}

function isRouteIntended({ router, handlers }: PlacedRoute): boolean {
  return isIntended(router) || handlers.some(isIntended);
}

/** Finds segments that occur twice in a row, as if the path repeated a prefix. */
function checkPattern(route: PlacedRoute, report: Report): void {
  const [, repeated] = /((?:\/[^/:*]+)+)\1(?![^/])/.exec(route.pattern.text) ?? [];
  if (repeated === undefined || isRouteIntended(route)) return;
  const fix =
    'Remove it from the prefix or the path, or pass the router, the handler or the controller to intended().';
  report('FAIRLEAD_ROUTE', `'${repeated}'`, 'occurs twice in a row in a pattern', route.name, fix);
}

/** Finds routes that respond to no request because a route of an earlier router matches the same paths. */
function checkReach(routers: readonly (readonly PlacedRoute[])[], report: Report): void {
  const trees = new Map<string, Tree<PlacedRoute>>();
  for (const routes of routers) {
    for (const { name, method, pattern } of routes) {
      const path = `/${pattern.segments.map(sampleOf).join('/')}`;
      const [first] = [...trees.values()].flatMap((tree) => tree.find(method, path)?.value ?? []);
      // A handler with `next` may pass requests on.
      if (first === undefined || isRouteIntended(first) || takesNext(first)) continue;
      const problem = 'is in an earlier router and responds to every request for';
      const fix = `Mount the later router first. If the handler of ${first.name} calls next(), pass it or its router to intended().`;
      report('FAIRLEAD_ROUTE', first.name, problem, name, fix);
    }
    for (const route of routes) {
      const { rules } = route.router;
      const key = JSON.stringify(rules);
      const tree = trees.get(key) ?? new Tree(rules);
      tree.insert(route.method, route.pattern, route);
      trees.set(key, tree);
    }
  }
}

function takesNext({ handlers }: PlacedRoute): boolean {
  return (handlers.at(-1)?.length ?? 0) > 1;
}

/** Returns text that the segment matches, and that is unlikely to be a static segment. */
function sampleOf(segment: Segment): string {
  if (segment.kind === 'static') return segment.text;
  return segment.kind === 'affix' ? segment.literals.join('~') : '~';
}

/** Finds middleware below prefixes without routes. It may respond, so only some of it is suspicious. */
function checkPrefixes(
  entries: readonly Entry[],
  routes: readonly PlacedRoute[],
  rules: PathRules,
  report: Report,
): void {
  const sections = new Set(
    routes.flatMap(({ pattern: { text } }) =>
      [...text.matchAll(/(?!^)(?=\/)|$/g)].map(({ index }) => text.slice(0, index)),
    ),
  );
  for (const entry of entries) {
    if (!('middleware' in entry) || entry.middleware.length === 0) continue;
    const { prefix, middleware } = entry;
    const overlaps = createOverlaps(prefix, rules);
    if (routes.length === 0 || routes.some(({ pattern }) => overlaps(pattern.segments))) continue;
    if (middleware.some((one) => isIntended(one) || isResponder(one) || one.length < 2)) continue;
    const depth = prefix.split('/').length;
    const similar = [...sections].filter((one) => one.split('/').length === depth);
    const nearest =
      [...sections].find((one) => one.endsWith(prefix)) ?? nearestName(prefix, similar);
    const mayRespond = (one: Entry): boolean =>
      typeof one === 'function' && !passesOn(one) && !/Handler$/.test(roleOf(one) ?? '');
    if (nearest === undefined && [...middleware, ...entries].some(mayRespond)) continue;
    const fix = nearest === undefined ? 'Correct the prefix' : `Use '${nearest}'`;
    const silence = 'or pass the middleware to intended() if it serves paths without routes.';
    const name = middleware.map((one) => one.name || 'a function').join(', ');
    report(
      'FAIRLEAD_ROUTE',
      `app.use('${prefix}')`,
      'covers no route with',
      name,
      `${fix}, ${silence}`,
    );
  }
}

/** Finds pages that browsers get instead of the response of a route. A wildcard may be there for other clients. */
function checkPages(route: PlacedRoute, report: Report): void {
  const { method, pattern, name, functions, handlers } = route;
  if (!/^(GET|ALL)$/.test(method) || pattern.endsInWildcard) return;
  const path = `/${pattern.segments.map(sampleOf).join('/')}`;
  const before = functions.slice(0, -handlers.length);
  const page = before.find((one) => descriptionOf(one)?.hides?.(path) && !isIntended(one));
  if (page === undefined) return;
  const fix = 'Register it after the routes, or pass it to intended().';
  const problem = 'sends its fallback to browsers that open a route after it';
  report('FAIRLEAD_ORDER', descriptionOf(page)?.name ?? '', problem, name, fix);
}

/** Finds bodies that nothing reads, and parsers that never read one because another parser reads it first. */
function checkParsers({ method, name, options, functions }: PlacedRoute, report: Report): void {
  const isRead = functions.some(
    // A parser of the application mentions the stream, the request, or the body that it sets.
    (one) =>
      isIntended(one) ||
      isResponder(one) ||
      /bodyStream|\breq\b|\.body\s*=[^=]/.test(`${descriptionOf(one)?.wraps ?? one}`),
  );
  if (readsBody(options) && method !== 'GET' && mediaTypesOf(functions).length === 0 && !isRead) {
    const fix =
      'Register app.use(json()) before it. If other middleware reads the body, pass that to intended().';
    report('FAIRLEAD_BODY', 'No parser', 'reads the body of', name, fix);
  }
  const named = (one: Middleware): string => descriptionOf(one)?.name ?? one.name;
  const settingsOf = (one: Middleware) => descriptionOf(one)?.reads?.settings;
  const parsers = functions.filter((one) => settingsOf(one) !== undefined);
  for (const [index, parser] of parsers.entries()) {
    const types = mediaTypesOf([parser]);
    const first = parsers.slice(0, index).find((other) => {
      const read = mediaTypesOf([other]);
      return types.every((type) => read.includes(type));
    });
    if (first === undefined || isIntended(parser)) continue;
    if (settingsOf(first) === settingsOf(parser)) continue;
    const problem = `never reads a body, because ${named(first)} before it has read it`;
    const fix = `Pass the option skip to the ${named(first)} before it, or pass ${named(parser)} to intended().`;
    report('FAIRLEAD_BODY', named(parser), problem, name, fix);
  }
}

/** Lists the inputs of a route that have a schema, and the whole body. */
function inputsOf({
  params,
  query,
  headers,
  body,
  inputs = [],
}: RouteOptions): readonly RouteInput[] {
  return [
    { source: 'param' as const, schema: params, required: true },
    { source: 'query' as const, schema: query, required: true },
    { source: 'header' as const, schema: headers, required: true },
    { source: 'body' as const, schema: body, required: body !== undefined },
    ...inputs,
  ];
}

const LABELS = { param: 'parameter', query: 'query parameter', header: 'header', body: 'body' };

/** How to provide a list of values. */
const LIST_FIXES = {
  param: 'Split it in the schema',
  query: 'Add all: true',
  header: 'Split it in the schema',
};

/** Values that are not text, with the text that requests contain instead. */
const SAMPLES: readonly (readonly [value: unknown, text: string, fix: string])[] = [
  ...[1, 20, 100, 2_000, 1e6, 1.7e12, -1, 0.5].map(
    (value) => [value, String(value), 'z.coerce.number()'] as const,
  ),
  [1n, '1', 'z.coerce.bigint()'],
  [true, 'true', 'z.stringbool()'],
  [new Date(1e12), new Date(1e12).toISOString(), 'z.coerce.date()'],
];

/** Finds inputs that no request can provide. Asks the schema, because it may convert text. */
function checkInput(input: RouteInput, route: PlacedRoute, report: Report): void {
  const { source, name, schema, required } = input;
  if (isIntended(schema)) return;
  if (source === 'body') {
    if (!/^(GET|HEAD)$/.test(route.method) || !required || isRouteIntended(route)) return;
    if (schema === route.options.body && schema && acceptsAbsence(schema)) return;
    const fix =
      'Use POST, make the body optional, or pass the handler or the controller to intended().';
    report('FAIRLEAD_INPUT', 'A body', 'is required, but clients send none with', route.name, fix);
    return;
  }
  if (schema === undefined) return;
  const tell = (key: string, problem: string, advice: string): void => {
    const fix = `${advice}, or pass the schema to intended().`;
    report('FAIRLEAD_INPUT', `The ${LABELS[source]} '${key}'`, problem, route.name, fix);
  };
  try {
    const read = name === undefined ? keysReadBy(schema) : [name];
    const isParams = source === 'param' && name === undefined;
    const keys = isParams ? route.pattern.names : read;
    /** Validates one value for all keys. */
    const rejected = (value: unknown): ReadonlySet<string> => {
      if (name !== undefined) return new Set(issuesOf(schema, value).length > 0 ? [name] : []);
      const issues = issuesOf(schema, Object.fromEntries(keys.map((key) => [key, value])));
      return new Set(issues.map((issue) => String(keysOf(issue)[0])));
    };
    const missing = isParams ? read.filter((key) => !keys.includes(key)) : [];
    for (const key of missing.length > 0 ? rejected('1') : []) {
      const names = keys.map((one) => `'${one}'`).join(' or ') || 'a parameter';
      if (missing.includes(key)) tell(key, 'is required, but not in the pattern', `Use ${names}`);
    }
    for (const key of source === 'header' && name === undefined ? read : []) {
      const lower = key.toLowerCase();
      const problem = 'is never found, because Node.js provides lower-case names';
      if (key !== lower) tell(key, problem, `Use '${lower}'`);
    }
    const takesLists = source === 'query' && (name === undefined || input.all === true);
    for (const [key, fix] of findTextless(keys, rejected, takesLists, LIST_FIXES[source]))
      tell(key, 'has a schema that rejects every string', fix);
  } catch {
    // The schema is asynchronous, or cannot judge samples.
  }
}

/**
 * Finds inputs that reject every string, but accept another value.
 *
 * @param takesLists - Whether requests may contain several values.
 * @returns The fix by key.
 */
function findTextless(
  keys: readonly string[],
  rejected: (value: unknown) => ReadonlySet<string>,
  takesLists: boolean,
  listFix: string,
): ReadonlyMap<string, string> {
  // Most schemas accept the first text, so that one validation is enough.
  const texts = [...SAMPLES.map(([, text]) => text), '', 'a', 'all', '2024-01-01'];
  let textless = keys;
  for (const value of takesLists ? [...texts, ...texts.map((text) => [text])] : texts) {
    if (textless.length === 0) break;
    const refused = rejected(value);
    textless = textless.filter((key) => refused.has(key));
  }
  const found = new Map<string, string>();
  if (textless.length === 0) return found;
  const suspects = [
    ...SAMPLES.map(([value, , fix]) => [value, `Convert it, as in ${fix}`] as const),
    ...(takesLists
      ? [[[1], 'Convert its values, as in z.coerce.number()'] as const]
      : [[], ['a'], ['1']].map((list) => [list, listFix] as const)),
  ];
  for (const [value, fix] of suspects) {
    const refused = rejected(value);
    for (const key of textless) if (!refused.has(key) && !found.has(key)) found.set(key, fix);
  }
  return found;
}

/** Lists the members that a schema reads. */
function keysReadBy(schema: StandardSchema): readonly string[] {
  const keys = new Set<string>();
  const get = (_: object, key: string | symbol): void => {
    if (typeof key === 'string') keys.add(key);
  };
  issuesOf(schema, new Proxy({}, { get }));
  return [...keys].filter((key) => !(key in Object.prototype));
}

/** @throws {TypeError} When the schema is asynchronous. */
function issuesOf(schema: StandardSchema, value: unknown) {
  const result = schema['~standard'].validate(value);
  if (!isPromiseLike(result)) return result.issues ?? [];
  Promise.resolve(result).catch(() => undefined);
  throw new TypeError('The schema is asynchronous.');
}
