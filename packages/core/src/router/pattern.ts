import { describeValue } from '@fairlead/options';
import type { Params } from '../exchange/exchange.js';
import { normalizeSegment } from '../server/target.js';
import { InvalidPatternError } from '../setup/setup-error.js';

/** One segment of a pattern: static text, or a named parameter or wildcard. */
export type Segment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'param'; readonly names: readonly [string] }
  | AffixSegment
  | { readonly kind: 'wildcard'; readonly names: readonly [string] };

/** A segment of parameters with text around them, such as `:file.png` or `:from-:to`. */
export interface AffixSegment {
  readonly kind: 'affix';
  readonly names: readonly string[];
  /** The text before, between and after the parameters: one more than there are names. */
  readonly literals: readonly string[];
}

export interface Pattern {
  /** The pattern with a leading slash. */
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Parameter names, in the order of the path. */
  readonly names: readonly string[];
  /** Whether the last segment is a wildcard. */
  readonly endsInWildcard: boolean;
}

/**
 * The parameters of a path: `{ id: string }` for `'/users/:id'`, `{ id?: string }` for `'/users/:id?'`. A wildcard
 * without a name is `'*'`. Parameters that only some paths of a union have are optional. For a path that is not a
 * literal type, any name is a string.
 */
export type PathParams<Path extends string> = string extends Path
  ? Params
  : NamedParams<ExpandedPath<Path>>;

/**
 * The parameters of patterns, and those of their prefix.
 *
 * @typeParam Optional - The parameters that some of the patterns lack.
 */
export type NamedParams<
  Path extends string,
  OfPrefix extends string = never,
  Optional extends string = LackedName<Path, ParamName<Path>>,
> = [Optional] extends [never]
  ? { readonly [Name in ParamName<Path> | OfPrefix]: string }
  : Flat<
      { readonly [Name in Exclude<ParamName<Path>, Optional> | OfPrefix]: string } & {
        readonly [Name in Optional]?: string;
      }
    >;

type Flat<T> = { readonly [Key in keyof T]: T[Key] };

type LackedName<Path extends string, All extends string> = Path extends string
  ? Exclude<All, ParamName<Path>>
  : never;

/** The patterns that a path stands for: `'/users' | '/users/:id'` for `'/users/:id?'`. */
export type ExpandedPath<Path extends string> = Path extends `${infer Start}?${infer Rest}`
  ? ParentOf<Start> | ExpandedPath<`${Start}${Rest}`>
  : Path;

type ParentOf<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? Rest extends `${string}/${string}`
    ? `${First}/${ParentOf<Rest>}`
    : First
  : '';

/** The names of the parameters of a pattern. */
export type ParamName<Path extends string> = Path extends `${infer Start}/*${infer Wildcard}`
  ? NameAfterColon<Start> | (Wildcard extends '' ? '*' : Wildcard)
  : Path extends `*${infer Wildcard}`
    ? Wildcard extends ''
      ? '*'
      : Wildcard
    : NameAfterColon<Path>;

type NameAfterColon<
  Text extends string,
  Found extends string = never,
> = Text extends `${string}:${infer Rest}`
  ? NameAfterColon<Rest, Found | LeadingName<Rest>>
  : Found;

/** The text before the first character that a name cannot contain. */
type LeadingName<
  Text extends string,
  Name extends string = '',
> = Text extends `${infer First}${infer Rest}`
  ? First extends Delimiter
    ? Name
    : LeadingName<Rest, `${Name}${First}`>
  : Name;

/** Characters of a path that are not part of a name. */
type Delimiter = Characters<"/-.~!$&'()*+,;=:@% ">;

type Characters<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First | Characters<Rest>
  : never;

/** Matches a segment of ASCII text or a parameter with an ASCII name, which is most of them. */
const PLAIN = /^(?:[\w-]+|:[A-Za-z_]\w*)$/;

const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*/u;

const PARAMETER = new RegExp(`:(${NAME.source})`, 'u');

/** Matches optional parameters at the end of a path, and captures what is before them. */
const OPTIONAL_END = new RegExp(`^([^?]*?)((?:/:${NAME.source}\\?)+)$`, 'u');

/** Matches an optional parameter. */
const OPTIONAL = new RegExp(`(?<=^|/):${NAME.source}\\?(?=/|$)`, 'u');

const WILDCARD = new RegExp(`^\\*(?:${NAME.source})?$`, 'u');
/** Of other routers. */
const BRACKETED = new RegExp(`^[{[<](${NAME.source})[}\\]>]$`, 'u');

/** Matches a URL with a scheme, and captures its path. */
const URL_WITH_PATH = /^[A-Za-z][A-Za-z\d+.-]*:\/\/[^/?#]*([^?#]*)/;

/** Matches a query with at least one value. */
const QUERY = /\?[\w.-]+=/;

/**
 * Matches a character that a URL cannot contain as it is, or that other routers read as a modifier or
 * a regular expression. A plus or dollar sign may be one after a parameter.
 */
const SYNTAX = /[*?#(){}[\]<>|\\^\s\p{Cc}]|[+$](?<=:.*)/gu;

/** The fix for characters that {@link SYNTAX} matches. */
type Advice = readonly (readonly [RegExp, string])[];

const ADVICE: Advice = [
  [/[*+]/, "Use '*name' as the whole last segment for the rest of the path"],
  [/\?/, 'Pass an array with each form of the path'],
  [/#/, 'Remove the fragment, which clients never send'],
  [
    /[{}[\]<>]/,
    "Use ':name' for a parameter, ':name?' for an optional one at the end, '*name' for the rest of the path, pass an array with each form of the path",
  ],
  [
    /[()|\\^$]/,
    "Use ':name' and check its value with a schema or in the handler, pass an array with each form of the path",
  ],
];

/** For prefixes, which match every path below them, and of which a call takes one. */
const PREFIX_ADVICE: Advice = [
  [/[*+]/, 'Remove it, because a prefix matches every path below it'],
  [/[?{}[\]<>()|\\^$]/, "Use ':name' for a parameter, one prefix for each form of the path"],
  ...ADVICE,
];

/**
 * Returns the patterns that a path stands for: `/users` and `/users/:id` for `/users/:id?`. A path without optional
 * parameters at its end is returned as it is.
 */
export function expandPath(path: string): readonly string[] {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  const [, start = '', optional] = (path.endsWith('?') && OPTIONAL_END.exec(rooted)) || [];
  if (optional === undefined) return [path];
  const segments = optional.slice(1, -1).split('?/');
  const longer = segments.map((_, index) => [start, ...segments.slice(0, index + 1)].join('/'));
  return [start || '/', ...longer];
}

/**
 * Explains how to rename a parameter whose name a pattern contains, but not as a name: `user-id` in `/:user-id`, which
 * is the parameter `user` before the text `-id`.
 *
 * @returns A fix in lower case; undefined if the name is possible, or the pattern does not contain it.
 */
export function renameFix(pattern: string, name: string): string | undefined {
  if (NAME.exec(name)?.[0] === name || !pattern.includes(`:${name}`)) return undefined;
  const words = name.split(/[^\p{L}\p{M}\p{N}_]+/u).filter(Boolean);
  const [first = '', ...others] = words;
  const joined = [first, ...others.map((one) => `${one[0]?.toUpperCase()}${one.slice(1)}`)].join(
    '',
  );
  const possible = /^\p{N}/u.test(joined) ? `_${joined}` : joined || 'name';
  return `write ':${possible}' instead of ':${name}' in the path, and use '${possible}'`;
}

/**
 * Parses a pattern such as `/users/:id` or `/files/*path`.
 *
 * A segment is static text or `:name`, which matches one non-empty segment. A parameter may have text
 * around it, as in `:file.png` and `:from-:to`. The last segment may be `*name` or `*`, which matches
 * the rest of the path, even if empty.
 *
 * @param text - With or without a leading slash; a trailing slash adds an empty segment. Escapes such as
 *   `%3A` and `%2A` stand for characters with a meaning in patterns.
 * @param segments - Those of the text, if they are already parsed.
 * @throws {InvalidPatternError} When the text is a URL or has a query, an empty segment, `.` or `..`, an
 *   invalid or repeated name, parameters without text between them, a wildcard that is not last, syntax
 *   of other routers, or a malformed escape.
 */
export function parsePattern(text: string, segments = parseSegments(text)): Pattern {
  const names = segments.flatMap((segment) => (segment.kind === 'static' ? [] : segment.names));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    refuse(text, `the parameter '${repeated}' appears twice. Rename one of them.`);
  }
  const endsInWildcard = segments.at(-1)?.kind === 'wildcard';
  const path = text.startsWith('/') ? text : `/${text}`;
  return Object.freeze({ text: path, segments, names, endsInWildcard });
}

function refuse(pattern: string, reason: string): never {
  throw new InvalidPatternError(pattern, reason);
}

/**
 * Parses the segments of a pattern, whose names may be repeated.
 *
 * @throws {InvalidPatternError} Same as {@link parsePattern}, except for repeated names.
 */
export function parseSegments(text: string, advice = ADVICE): readonly Segment[] {
  if (typeof text !== 'string') {
    refuse(describeValue(text), "it is not a string. Pass a path such as '/users/:id'.");
  }
  const [isUrl, urlPath] = URL_WITH_PATH.exec(text) ?? [];
  if (isUrl) refuse(text, `it is a URL. Use only its path, '${urlPath || '/'}'.`);
  if (QUERY.test(text)) {
    const path = text.slice(0, text.indexOf('?'));
    refuse(text, `it has a query. Use '${path}', and read the query with ctx.query or @Query().`);
  }
  const path = text.startsWith('/') ? text.slice(1) : text;
  const parts = path === '' ? [] : path.split('/');
  return parts.map((part, index) => parseSegment(part, index === parts.length - 1, text, advice));
}

/**
 * Parses the prefix of a router or of middleware.
 *
 * @throws {InvalidPatternError} When the prefix is not a valid pattern, or contains a wildcard.
 */
export function parsePrefix(text: string): Pattern {
  if (text.includes('?') && OPTIONAL.test(text)) {
    const problem = 'a prefix cannot contain an optional parameter';
    refuse(text, `${problem}. Use one prefix without the parameter, and another one with it.`);
  }
  const pattern = parsePattern(text, parseSegments(text, PREFIX_ADVICE));
  if (!pattern.endsInWildcard) return pattern;
  return refuse(
    text,
    'a prefix cannot contain a wildcard. Remove it: a prefix matches every path below it.',
  );
}

function parseSegment(part: string, isLast: boolean, pattern: string, advice: Advice): Segment {
  // V8 takes a millisecond to compile the expressions for other segments.
  if (PLAIN.test(part)) {
    return part.startsWith(':')
      ? { kind: 'param', names: [part.slice(1)] }
      : { kind: 'static', text: part };
  }
  if (WILDCARD.test(part)) {
    if (isLast) return { kind: 'wildcard', names: [part.slice(1) || part] };
    const fix = "Move it to the end, or use ':name' for one segment.";
    refuse(pattern, `the wildcard '${part}' is not the last segment. ${fix}`);
  }
  const [character] = part.match(SYNTAX) ?? [];
  if (character === '?' && OPTIONAL.test(part)) {
    const rooted = pattern.startsWith('/') ? pattern : `/${pattern}`;
    const forms = [rooted.replace(`/${part}`, ''), rooted.replace(part, part.slice(0, -1))];
    const fix = `Pass an array of paths: [${forms.map((form) => `'${form}'`).join(', ')}].`;
    refuse(pattern, `the optional parameter '${part}' is not at the end. ${fix}`);
  }
  if (character !== undefined) refuse(pattern, explainSyntax(part, character, advice));
  // `split` with a capturing group returns text and names in turn.
  const pieces = part.includes(':') ? part.split(PARAMETER) : [part];
  const names = pieces.filter((_, index) => index % 2 === 1);
  const texts = pieces.filter((_, index) => index % 2 === 0);
  if (texts.some((text) => text.includes(':'))) {
    const fix = "Use ':name' with letters, digits and underscores, starting with a letter, or";
    refuse(pattern, `'${part}' contains a colon without a name. ${fix} write '%3A' for a colon.`);
  }
  if (texts.slice(1, -1).includes('')) {
    const fix = "Separate them, as in ':from-:to', or write '%3A' for a colon.";
    refuse(pattern, `'${part}' contains two parameters without text between them. ${fix}`);
  }
  if (part === '' && !isLast) {
    refuse(pattern, 'it has an empty segment. Use one slash between segments.');
  }
  const literals = texts.map((text) => parseText(text, pattern));
  const [text = ''] = literals;
  const [name] = names;
  if (name !== undefined) {
    return part === `:${name}`
      ? { kind: 'param', names: [name] }
      : { kind: 'affix', names, literals };
  }
  if (/^\.\.?$/.test(text)) {
    const problem = `clients resolve the segment '${part}' before they send a path`;
    refuse(pattern, `${problem}. Write the path without it.`);
  }
  return { kind: 'static', text };
}

function explainSyntax(part: string, character: string, advice: Advice): string {
  const [, name] = BRACKETED.exec(part) ?? [];
  const [, general = 'Remove it'] = advice.find(([characters]) => characters.test(character)) ?? [];
  const found = /[\s\p{Cc}]/u.test(character) ? 'whitespace' : `'${character}'`;
  const fix = name === undefined ? general : `Use ':${name}'`;
  return `'${part}' contains ${found}. ${fix}, or write '${part.replace(SYNTAX, percentEncode)}' to match the text literally.`;
}

function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
}

function parseText(text: string, pattern: string): string {
  try {
    const normal = normalizeSegment(text);
    if (!normal.includes('%00')) return normal;
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause;
    const fix = "Percent-encode UTF-8, and write '%25' for a percent sign.";
    refuse(pattern, `'${text}' contains a malformed escape. ${fix}`);
  }
  const problem = `'${text}' contains '%00', which the path of a request must not contain`;
  return refuse(pattern, `${problem}. Remove it.`);
}

/**
 * Matches a path segment with the literals of an {@link AffixSegment}. Every parameter has at least one
 * character. All but the last are as short as possible. Takes linear time.
 *
 * @param path - In normal form.
 * @param folded - The path as compared with the literals, see {@link foldCase}.
 * @param begin - Index of the segment's first character.
 * @param end - Index after its last character.
 * @param literals - Folded like `folded`.
 * @returns The values, still percent-encoded, or undefined when the segment does not match.
 */
export function matchAffix(
  path: string,
  folded: string,
  begin: number,
  end: number,
  literals: readonly string[],
): string[] | undefined {
  const first = literals[0] ?? '';
  const last = literals[literals.length - 1] ?? '';
  const lastStart = end - last.length;
  if (!folded.startsWith(first, begin) || !folded.startsWith(last, lastStart)) return undefined;
  const values: string[] = [];
  let at = begin + first.length;
  for (let index = 1; index < literals.length; index += 1) {
    const literal = literals[index] ?? '';
    const isLast = index === literals.length - 1;
    let found = isLast ? lastStart : folded.indexOf(literal, at + 1);
    while (!isLast && isInEscape(path, found)) found = folded.indexOf(literal, found + 1);
    if (found <= at || found > lastStart || isInEscape(path, found)) return undefined;
    values.push(path.slice(at, found));
    at = found + literal.length;
  }
  return values;
}

/** Whether a character is the first or second digit of an escape such as `%2F`. */
function isInEscape(path: string, index: number): boolean {
  return path[index - 1] === '%' || path[index - 2] === '%';
}

/** Returns the pattern without its names. Two patterns of equal shape match the same paths. */
export function shapeOf({ segments }: Pattern, rules: PathRules): string {
  return `/${shapesOf(segments, rules).join('/')}`;
}

/** Returns each segment without its names. */
export function shapesOf(segments: readonly Segment[], rules: PathRules): readonly string[] {
  return significantSegments({ segments }, rules).map((segment) => {
    if (segment.kind === 'param') return ':';
    if (segment.kind === 'wildcard') return '*';
    const texts = segment.kind === 'affix' ? segment.literals : [segment.text];
    // In a shape, colons and asterisks are parameters and wildcards.
    const escaped = texts.map((text) =>
      foldCase(text, rules).replaceAll(':', '%3A').replaceAll('*', '%2A'),
    );
    return escaped.join(':');
  });
}

/** Compares the shapes of a prefix, without its trailing slash, with those of a pattern. */
export type ComparePrefix = (prefix: readonly string[], pattern: readonly string[]) => boolean;

/** Whether a pattern only matches the path of a prefix and paths below it. */
export const isBelow: ComparePrefix = (prefix, pattern) =>
  prefix.every((shape, index) => {
    const other = pattern[index];
    if (other === undefined || other === '*' || !shape.includes(':')) return other === shape;
    return fits(other, shape);
  });

/** Whether a segment with parameters matches another one. A colon is at least one character, and no literal has it. */
function fits(other: string, shape: string): boolean {
  return matchAffix(other, other, 0, other.length, shape.split(':')) !== undefined;
}

/**
 * Whether a pattern matches a path below a prefix or wildcard. May be true for others if both have text around
 * parameters.
 */
export const overlaps: ComparePrefix = (prefix, pattern) => {
  const end = pattern.at(-1) === '*' ? pattern.length - 1 : prefix.length;
  return prefix.slice(0, end).every((shape, index) => {
    const other = pattern[index];
    if (other === shape || shape === '*') return true;
    if (other === undefined) return false;
    if (shape.includes(':')) return other.includes(':') || fits(other, shape);
    return other.includes(':') && fits(shape, other);
  });
};

/** How a router compares paths. */
export interface PathRules {
  /** Whether `/Users` and `/users` are different paths. */
  readonly caseSensitive: boolean;
  /** Whether `/users/` and `/users` are different paths. */
  readonly strict: boolean;
}

/** Returns a pattern's segments, without a trailing empty segment unless the rules are strict. */
export function significantSegments(
  { segments }: Pick<Pattern, 'segments'>,
  { strict }: PathRules,
): readonly Segment[] {
  const last = segments.at(-1);
  const endsInSlash = last?.kind === 'static' && last.text === '';
  return endsInSlash && !strict ? segments.slice(0, -1) : segments;
}

export function foldCase(text: string, { caseSensitive }: PathRules): string {
  return caseSensitive ? text : text.toLowerCase();
}

/**
 * A prefix with all parameters that a router declares. For any other prefix, the compiler's message names
 * the missing parameter.
 */
export type PrefixFor<Prefix extends string, NestedParams, PrefixParams = unknown> = Prefix &
  (string extends Prefix
    ? unknown
    : [Exclude<keyof NestedParams, ParamName<Prefix> | keyof PrefixParams>] extends [never]
      ? unknown
      : `lacks the parameter :${Exclude<keyof NestedParams, ParamName<Prefix>> & string}`);

/**
 * Joins prefixes and a path with single slashes.
 *
 * @param parts - With or without slashes at their ends; `''` and `'/'` add nothing.
 * @returns A path with a leading slash. A trailing slash of the last part is kept.
 */
export function joinPaths(...parts: readonly string[]): string {
  const joined = parts.filter((part) => part !== '' && part !== '/').join('/');
  return `/${joined}`.replace(/\/{2,}/g, '/');
}
