import { decodeParams } from '../exchange/exchange.js';
import { parseTarget } from '../target.js';
import { type MountedRouter, mountedRoutes } from './mount.js';
import {
  type AffixSegment,
  foldCase,
  matchAffix,
  type PathRules,
  type Pattern,
  significantSegments,
} from './pattern.js';
import { handlesMethod, Tree } from './tree.js';

/** A route that does not handle a request, and why. */
export interface NearRoute {
  readonly method: string;
  readonly pattern: string;
  readonly reason: string;
}

/** How an application routes a request. */
export interface Explanation {
  /** Path of the request in normal form, or as given when it is malformed (400). */
  readonly path: string;
  /** The route that handles the request, with its decoded parameters; undefined when none does. */
  readonly match:
    | {
        readonly method: string;
        readonly pattern: string;
        readonly params: Readonly<Record<string, string>>;
      }
    | undefined;
  /** At most ten other routes, the most similar first. */
  readonly near: readonly NearRoute[];
}

/**
 * Explains which route handles a request, and why similar routes do not match. Ignores middleware.
 *
 * @param routers - In order of registration.
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

/** Ranks patterns that match first, and the others by the number of leading segments that match. */
function rank({ length, reason }: Comparison): number {
  return reason === undefined ? Number.MAX_SAFE_INTEGER : length;
}

function reasonOfMatching(
  { method }: CandidateRoute,
  requested: string,
  match: FoundRoute | undefined,
): string {
  if (match === undefined || !handlesMethod(new Set([method]), requested)) {
    return `it handles ${method}, not ${requested}`;
  }
  return `it matches, but ${match.key} takes precedence`;
}

/** How much of a path a pattern matches. */
interface Comparison {
  /** Number of leading segments that match. */
  readonly length: number;
  /** Why the pattern does not match; undefined when it does. */
  readonly reason: string | undefined;
}

/**
 * Compares a pattern with a path, segment by segment.
 *
 * @param pattern - The full pattern, with its prefixes.
 * @param path - Path of the request in normal form.
 * @param rules - How the route's router compares paths.
 */
function comparePath(pattern: Pattern, path: string, rules: PathRules): Comparison {
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
      : `it has ${count(segments.length)}, but the path has ${texts.length}`;
  return { length: Math.min(segments.length, texts.length), reason };
}

function count(segments: number): string {
  return segments === 1 ? '1 segment' : `${segments} segments`;
}

function formatAffix({ names, literals }: AffixSegment): string {
  return literals
    .map((literal, index) => (index === 0 ? literal : `:${names[index - 1]}${literal}`))
    .join('');
}

function compareSegment(
  segment: Exclude<Pattern['segments'][number], { kind: 'wildcard' }>,
  text: string,
  rules: PathRules,
): string | undefined {
  if (segment.kind === 'param') {
    return text === '' ? `is empty, but :${segment.names[0]} needs a value` : undefined;
  }
  if (segment.kind === 'affix') {
    const literals = segment.literals.map((literal) => foldCase(literal, rules));
    const values = matchAffix(text, foldCase(text, rules), 0, text.length, literals);
    return values === undefined ? `is '${text}', not '${formatAffix(segment)}'` : undefined;
  }
  if (foldCase(segment.text, rules) === foldCase(text, rules)) return undefined;
  const onlyCase = segment.text.toLowerCase() === text.toLowerCase();
  return `is '${text}', not '${segment.text}'${onlyCase ? ' (case-sensitive)' : ''}`;
}
