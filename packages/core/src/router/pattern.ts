import { normalizeSegment } from '../context/path.js';
import { InvalidPatternError } from '../errors/setup-error.js';

/** One step of a pattern: text that must stand there, or a name for what does. */
export type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string }
  | { readonly kind: 'wildcard'; readonly name: string };

/** A route's pattern, read. */
export interface Pattern {
  /** The pattern as it is shown: with one leading slash. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Names of the parameters, in the order of the path. */
  readonly names: readonly string[];
  /** Whether the last name is that of a wildcard. */
  readonly endsInWildcard: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads a pattern such as `/users/:id` or `/files/*path`.
 *
 * A segment is static text, `:name` for one non-empty segment, or, at the end, `*name` or `*` for the
 * rest of the path, which may be empty.
 *
 * @param text - With or without a leading slash; a trailing slash adds an empty segment.
 * @throws {InvalidPatternError} For an empty segment inside, a bad or repeated name, a wildcard that
 *   is not last, or a malformed escape.
 */
export function parsePattern(text: string): Pattern {
  const shown = text.startsWith('/') ? text : `/${text}`;
  const parts = shown === '/' ? [] : shown.slice(1).split('/');
  const segments = parts.map((part, index) => parseSegment(part, index === parts.length - 1, text));
  const names = segments.flatMap((segment) => (segment.kind === 'static' ? [] : [segment.name]));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    throw new InvalidPatternError(text, `the parameter '${repeated}' appears twice; rename one.`);
  }
  const endsInWildcard = segments.at(-1)?.kind === 'wildcard';
  return Object.freeze({ text: shown, segments, names, endsInWildcard });
}

/**
 * Reads the prefix that a router is mounted or nested at.
 *
 * @throws {InvalidPatternError} When it is no pattern, or holds a wildcard.
 */
export function parsePrefix(text: string): Pattern {
  const pattern = parsePattern(text);
  if (pattern.endsInWildcard) {
    throw new InvalidPatternError(text, 'a prefix cannot hold a wildcard; put it in the routes.');
  }
  return pattern;
}

function parseSegment(part: string, isLast: boolean, pattern: string): Segment {
  if (part.startsWith('*')) {
    if (!isLast) {
      throw new InvalidPatternError(pattern, `the wildcard '${part}' must be its last segment.`);
    }
    return { kind: 'wildcard', name: part === '*' ? part : parseName(part, pattern) };
  }
  if (part.startsWith(':')) return { kind: 'param', name: parseName(part, pattern) };
  if (part === '' && !isLast) {
    throw new InvalidPatternError(pattern, 'it has an empty segment; write one slash between two.');
  }
  try {
    return { kind: 'static', text: normalizeSegment(part) };
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    throw new InvalidPatternError(pattern, `the escape in '${part}' is malformed.`);
  }
}

function parseName(part: string, pattern: string): string {
  const name = part.slice(1);
  if (!NAME.test(name)) {
    throw new InvalidPatternError(
      pattern,
      `'${part}' is not a parameter; write '${part[0]}name' with letters, digits and underscores, alone in its segment.`,
    );
  }
  return name;
}

/**
 * The paths that a pattern matches, as a text: two patterns are equivalent when their shapes are equal.
 *
 * @param options - The rules of the router; they decide whether case and a trailing slash count.
 */
export function shapeOf(pattern: Pattern, options: PathRules): string {
  const shape = significantSegments(pattern, options).map((segment) => {
    if (segment.kind === 'param') return ':';
    return segment.kind === 'wildcard' ? '*' : foldCase(segment.text, options);
  });
  return `/${shape.join('/')}`;
}

/** How a router compares paths. */
export interface PathRules {
  /** Whether `/Users` and `/users` are two paths. */
  readonly caseSensitive: boolean;
  /** Whether `/users/` and `/users` are two paths. */
  readonly strict: boolean;
}

/** The segments that count under a router's rules. */
export function significantSegments(pattern: Pattern, { strict }: PathRules): readonly Segment[] {
  const last = pattern.segments.at(-1);
  const endsInSlash = last?.kind === 'static' && last.text === '';
  return endsInSlash && !strict ? pattern.segments.slice(0, -1) : pattern.segments;
}

/** The form of a static text that is compared under a router's rules. */
export function foldCase(text: string, { caseSensitive }: PathRules): string {
  return caseSensitive ? text : text.toLowerCase();
}
