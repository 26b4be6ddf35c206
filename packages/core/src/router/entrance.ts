import { named } from '@fairlead/options';
import { descriptionOf } from '../annotations/description.js';
import type { EarlierPrefix } from '../annotations/placement.js';
import type { Middleware } from '../pipeline/pipeline.js';
import { createPrefixMatch, type Entry } from './mount.js';
import { type PathRules, parseSegments, type Segment } from './pattern.js';

/**
 * Creates the function that lets described middleware check each request before it runs, by what is registered before
 * it.
 *
 * @param earlier - What is registered before the middleware.
 * @param rules - How paths are compared with prefixes.
 * @returns A function that takes the middleware, the functions of the same call or route, and its own prefix.
 */
export function createEntrance(earlier: readonly Entry[], rules: PathRules) {
  return (middleware: Middleware, siblings: readonly Middleware[], prefix = '/'): Middleware => {
    const { enter } = descriptionOf(middleware) ?? {};
    const check = enter?.({
      prefix,
      prefixes: earlier.flatMap((entry) => describePrefix(entry, rules)),
      before: [
        ...earlier.flatMap((entry) => ('middleware' in entry ? entry.middleware : [])),
        ...siblings.slice(0, siblings.indexOf(middleware)),
      ],
    });
    if (check === undefined) return middleware;
    const checked: Middleware = (ctx, next) => {
      check(ctx as never);
      return middleware(ctx, next);
    };
    return named(middleware.name, checked);
  };
}

function describePrefix(entry: Entry, rules: PathRules): EarlierPrefix | readonly [] {
  const segments = 'middleware' in entry ? parseSegments(entry.prefix) : [];
  if (segments.length === 0) return [];
  const matches = createPrefixMatch(segments, rules);
  return { segments: segments.map(textsOf), matches: ({ path }) => matches(path) };
}

function textsOf(segment: Segment): readonly string[] {
  if (segment.kind === 'affix') return segment.literals;
  return segment.kind === 'static' ? [segment.text] : ['', ''];
}
