import type { PlacedRoute } from '../checks/layout.js';
import { decodeParams } from '../exchange/exchange.js';
import { parseTarget } from '../target.js';
import {
  foldCase,
  matchAffix,
  type PathRules,
  type Segment,
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
 * @param mounts - The routes of each router, in order of registration.
 * @param method - Request method, in upper case.
 * @param target - Path of the request, with or without a query.
 */
export function explain(
  mounts: Iterable<readonly PlacedRoute[]>,
  method: string,
  target: string,
): Explanation {
  const { path, malformed } = parseTarget(method, target);
  if (malformed) return { path, match: undefined, near: [] };
  const candidates = [...mounts];
  const [match] = candidates.flatMap((routes) => findIn(routes, method, path) ?? []);
  const { value: found } = match ?? {};
  const near = candidates
    .flat()
    .filter(({ name }) => name !== found?.name)
    .map((route) => ({ route, ...comparePath(route, path) }))
    .sort((one, other) => other.matching - one.matching)
    .slice(0, 10)
    .map(({ route, reason = reasonOfMatching(route, method, found) }) => ({
      method: route.method,
      pattern: route.pattern.text,
      reason,
    }));
  if (match === undefined) return { path, match, near };
  const { method: own, pattern } = match.value;
  const params = decodeParams(pattern, match.rawParams);
  return { path, match: { method: own, pattern: pattern.text, params }, near };
}

function findIn(routes: readonly PlacedRoute[], method: string, path: string) {
  const [first] = routes;
  if (first === undefined) return undefined;
  const tree = new Tree<PlacedRoute>(first.router.rules);
  for (const route of routes) tree.insert(route.method, route.pattern, route);
  return tree.find(method, path);
}

function reasonOfMatching(
  { method }: PlacedRoute,
  requested: string,
  found: PlacedRoute | undefined,
): string {
  return found === undefined || !handlesMethod(new Set([method]), requested)
    ? `it handles ${method}, not ${requested}`
    : `it matches, but ${found.name} takes precedence`;
}

/**
 * Compares the pattern of a route with a path, segment by segment.
 *
 * @param path - In normal form.
 * @returns The number of leading segments that match, and why the next one does not. A huge number if all match.
 */
function comparePath(
  { pattern, router: { rules } }: PlacedRoute,
  path: string,
): { readonly matching: number; readonly reason?: string } {
  const segments = significantSegments(pattern, rules);
  const trimmed = path.endsWith('/') && !rules.strict ? path.slice(0, -1) : path;
  const texts = trimmed.length < 2 ? [] : trimmed.slice(1).split('/');
  for (const [index, segment] of segments.entries()) {
    const text = texts[index];
    if (segment.kind === 'wildcard') return { matching: Number.MAX_SAFE_INTEGER };
    if (text === undefined) break;
    const reason = compareSegment(segment, text, rules);
    if (reason !== undefined) return { matching: index, reason: `segment ${index + 1} ${reason}` };
  }
  if (segments.length === texts.length) return { matching: Number.MAX_SAFE_INTEGER };
  const count = segments.length === 1 ? '1 segment' : `${segments.length} segments`;
  return {
    matching: Math.min(segments.length, texts.length),
    reason: `it has ${count}, but the path has ${texts.length}`,
  };
}

function compareSegment(
  segment: Exclude<Segment, { kind: 'wildcard' }>,
  text: string,
  rules: PathRules,
): string | undefined {
  const folded = foldCase(text, rules);
  if (segment.kind === 'param')
    return text === '' ? `is empty, but :${segment.names[0]} needs a value` : undefined;
  if (segment.kind === 'affix') {
    const { names, literals } = segment;
    const own = literals.map((literal) => foldCase(literal, rules));
    if (matchAffix(text, folded, 0, text.length, own) !== undefined) return undefined;
    return `is '${text}', not '${literals.reduce((all, one, index) => `${all}:${names[index - 1]}${one}`)}'`;
  }
  if (foldCase(segment.text, rules) === folded) return undefined;
  const onlyCase = segment.text.toLowerCase() === text.toLowerCase();
  return `is '${text}', not '${segment.text}'${onlyCase ? ' (case-sensitive)' : ''}`;
}
