import { InvalidPatternError } from '../errors/setup-error.js';
import { normalizeSegment } from '../target.js';

/** One segment of a pattern: static text, or a named parameter or wildcard. */
export type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'wildcard'; readonly name: string };

/** A parsed route pattern. */
export interface Pattern {
  /** The pattern with a leading slash. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Parameter names, in the order of the path. */
  readonly names: readonly string[];
  /** Whether the last segment is a wildcard. */
  readonly endsInWildcard: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Parses a pattern such as `/users/:id` or `/files/*path`.
 *
 * A segment is static text or `:name`, which matches one non-empty segment. The last segment may be
 * `*name` or `*`, which matches the rest of the path, even if empty.
 *
 * @param text - With or without a leading slash; a trailing slash adds an empty segment.
 * @throws {InvalidPatternError} For an empty inner segment, an invalid or repeated name, a wildcard
 *   that is not last, or a malformed escape.
 */
export function parsePattern(text: string): Pattern {
  const path = text.startsWith('/') ? text : `/${text}`;
  const parts = path === '/' ? [] : path.slice(1).split('/');
  const segments = parts.map((part, index) => parseSegment(part, index === parts.length - 1, text));
  const names = segments.flatMap((segment) => (segment.kind === 'static' ? [] : [segment.name]));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new InvalidPatternError(
      text,
      `the parameter '${repeated}' appears twice. Rename one of them.`,
    );
  }
  const endsInWildcard = segments.at(-1)?.kind === 'wildcard';
  return Object.freeze({ text: path, segments, names, endsInWildcard });
}

/**
 * Parses the prefix of a mounted or nested router.
 *
 * @throws {InvalidPatternError} When the prefix is not a valid pattern, or contains a wildcard.
 */
export function parsePrefix(text: string): Pattern {
  const pattern = parsePattern(text);
  if (pattern.endsInWildcard) {
    throw new InvalidPatternError(
      text,
      'a prefix cannot contain a wildcard. Move the wildcard to the routes.',
    );
  }
  return pattern;
}

function parseSegment(part: string, isLast: boolean, pattern: string): Segment {
  if (part.startsWith('*')) {
    if (!isLast) {
      throw new InvalidPatternError(
        pattern,
        `the wildcard '${part}' is not the last segment. Move it to the end.`,
      );
    }
    return { kind: 'wildcard', name: part === '*' ? part : parseName(part, pattern) };
  }
  if (part.startsWith(':')) return { kind: 'param', name: parseName(part, pattern) };
  if (part === '' && !isLast) {
    throw new InvalidPatternError(
      pattern,
      'it has an empty segment. Use one slash between segments.',
    );
  }
  try {
    return { kind: 'static', text: normalizeSegment(part) };
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    throw new InvalidPatternError(
      pattern,
      `'${part}' contains a malformed escape. Percent-encode UTF-8, and write '%25' for a percent sign.`,
    );
  }
}

function parseName(part: string, pattern: string): string {
  const name = part.slice(1);
  if (!NAME.test(name)) {
    throw new InvalidPatternError(
      pattern,
      `'${part}' is not a valid parameter. Use '${part[0]}name' as a whole segment, with letters, digits and underscores.`,
    );
  }
  return name;
}

/**
 * Returns the pattern without its names. Two patterns of equal shape match the same paths.
 *
 * @param rules - The rules of the router.
 */
export function shapeOf(pattern: Pattern, rules: PathRules): string {
  const shape = significantSegments(pattern, rules).map((segment) => {
    if (segment.kind === 'param') return ':';
    return segment.kind === 'wildcard' ? '*' : foldCase(segment.text, rules);
  });
  return `/${shape.join('/')}`;
}

/** How a router compares paths. */
export interface PathRules {
  /** Whether `/Users` and `/users` are different paths. */
  readonly caseSensitive: boolean;
  /** Whether `/users/` and `/users` are different paths. */
  readonly strict: boolean;
}

/** Returns a pattern's segments, without a trailing empty segment unless the rules are strict. */
export function significantSegments(pattern: Pattern, { strict }: PathRules): readonly Segment[] {
  const last = pattern.segments.at(-1);
  const endsInSlash = last?.kind === 'static' && last.text === '';
  return endsInSlash && !strict ? pattern.segments.slice(0, -1) : pattern.segments;
}

/** Returns text in lower case, unless the rules are case-sensitive. */
export function foldCase(text: string, { caseSensitive }: PathRules): string {
  return caseSensitive ? text : text.toLowerCase();
}
