import { decodeParams } from '../context/params.js';
import { parseTarget } from '../context/target.js';
import { answersMethod } from './method.js';
import { type MountedRouter, mountedRoutes } from './mounted-routes.js';
import { foldCase, type PathRules, type Pattern, significantSegments } from './pattern.js';
import { Tree } from './tree.js';

/** A route that was weighed for a request, and why it does not answer it. */
export interface NearRoute {
  readonly method: string;
  readonly pattern: string;
  readonly reason: string;
}

/** What an application would do with a request. */
export interface Explanation {
  /** Path of the request in normal form; as it was given when it is malformed, which is a 400. */
  readonly path: string;
  /** The route that answers, and its decoded parameters; undefined when none does. */
  readonly match:
    | {
        readonly method: string;
        readonly pattern: string;
        readonly params: Readonly<Record<string, string>>;
      }
    | undefined;
  /** The routes that come nearest, the nearest first, at most ten. */
  readonly near: readonly NearRoute[];
}

/**
 * Says which route answers a request, and why the nearest others do not. Middleware is not looked at.
 *
 * @param routers - In the order in which a request meets them.
 * @param method - Request method, in upper case.
 * @param target - Path of the request, with or without a query.
 */
export function explain(
  routers: readonly MountedRouter[],
  method: string,
  target: string,
): Explanation {
  const { path, malformed } = parseTarget(method, target);
  if (malformed) return { path, match: undefined, near: [] };
  const candidates = routers.map(candidatesOf);
  const match = candidates
    .map((routes) => findIn(routes, method, path))
    .find((found) => found !== undefined);
  const near = candidates
    .flat()
    .filter(({ key }) => key !== match?.key)
    .map((route) => ({ route, ...comparePath(route.pattern, path, route.rules) }))
    .sort((one, other) => rank(other) - rank(one))
    .slice(0, 10)
    .map(({ route, reason = reasonOfMatching(route, method, match) }) => ({
      method: route.method,
      pattern: route.pattern.text,
      reason,
    }));
  return { path, match: match && describeMatch(match), near };
}

interface CandidateRoute {
  readonly key: string;
  readonly method: string;
  readonly pattern: Pattern;
  readonly rules: PathRules;
}

interface FoundRoute extends CandidateRoute {
  readonly rawParams: readonly string[];
}

function candidatesOf(mounted: MountedRouter): CandidateRoute[] {
  return mountedRoutes(mounted).map(({ method, pattern }) => ({
    key: `${method} ${pattern.text}`,
    method,
    pattern,
    rules: mounted.router.rules,
  }));
}

function findIn(
  routes: readonly CandidateRoute[],
  method: string,
  path: string,
): FoundRoute | undefined {
  const [first] = routes;
  if (first === undefined) return undefined;
  const tree = new Tree<CandidateRoute>(first.rules);
  for (const route of routes) tree.insert(route.method, route.pattern, route);
  const found = tree.find(method, path);
  return found && { ...found.value, rawParams: found.rawParams };
}

function describeMatch({ method, pattern, rawParams }: FoundRoute) {
  return { method, pattern: pattern.text, params: decodeParams(pattern, rawParams) };
}

/** A pattern that matches comes before one that does not, and a longer part before a shorter one. */
function rank({ length, reason }: Comparison): number {
  return reason === undefined ? Number.MAX_SAFE_INTEGER : length;
}

function reasonOfMatching(
  { method }: CandidateRoute,
  requested: string,
  match: FoundRoute | undefined,
): string {
  if (match === undefined || !answersMethod(new Set([method]), requested)) {
    return `it answers ${method}, not ${requested}`;
  }
  return `it matches, and ${match.key} takes precedence`;
}

/** How far a pattern goes along a path, and what stops it; no reason when it matches. */
export interface Comparison {
  /** Leading segments that match. */
  readonly length: number;
  readonly reason: string | undefined;
}

/**
 * Compares one pattern with one path, segment by segment.
 *
 * @param pattern - The pattern, prefixes included.
 * @param path - Path of the request in normal form.
 * @param rules - How the route's router compares paths.
 */
export function comparePath(pattern: Pattern, path: string, rules: PathRules): Comparison {
  const segments = significantSegments(pattern, rules);
  const trimmed = path.length > 1 && path.endsWith('/') && !rules.strict ? path.slice(0, -1) : path;
  const texts = trimmed === '/' ? [] : trimmed.slice(1).split('/');
  for (const [index, segment] of segments.entries()) {
    const text = texts[index];
    if (segment.kind === 'wildcard') return { length: texts.length, reason: undefined };
    if (text === undefined) break;
    const reason = compareSegment(segment, text, rules);
    if (reason !== undefined) return { length: index, reason: `segment ${index + 1} ${reason}` };
  }
  const reason =
    segments.length === texts.length
      ? undefined
      : `it has ${count(segments.length)}, the path ${texts.length}`;
  return { length: Math.min(segments.length, texts.length), reason };
}

function count(segments: number): string {
  return segments === 1 ? '1 segment' : `${segments} segments`;
}

function compareSegment(
  segment: Exclude<Pattern['segments'][number], { kind: 'wildcard' }>,
  text: string,
  rules: PathRules,
): string | undefined {
  if (segment.kind === 'param') {
    return text === '' ? `is empty, and :${segment.name} is not` : undefined;
  }
  if (foldCase(segment.text, rules) === foldCase(text, rules)) return undefined;
  const onlyCase = segment.text.toLowerCase() === text.toLowerCase();
  return `is '${text}', not '${segment.text}'${onlyCase ? ' (case counts)' : ''}`;
}
