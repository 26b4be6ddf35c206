import { textOf } from './request-text.js';

/** The value of a parameter of a path. */
export interface PathValue {
  /** Names the parameter in messages, such as `the parameter 'id'`. */
  readonly subject: string;
  readonly value: unknown;
  /** Whether it is the rest of the path, with its slashes. */
  readonly isWildcard: boolean;
  /** Whether a wildcard may be empty, because the caller knows which route the path leads to; false by default. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Replaces the parameters of a path, so that a route receives each value as it is.
 *
 * @param parameter - Matches a parameter, and captures the whole of it.
 * @param read - Returns the value of a parameter, which it receives as written in the path.
 * @param refuse - Receives why the route could not receive a value as it is.
 */
export function fillPath(
  path: string,
  parameter: RegExp,
  read: (parameter: string) => PathValue,
  refuse: (problem: string) => never,
): string {
  const fill = (text: string, index: number): string =>
    index % 2 === 0 ? text : encode(read(text), refuse);
  return path
    .split('/')
    .map((segment) => {
      const filled = segment.split(parameter).map(fill);
      const separator = findAmbiguity(filled);
      if (separator === undefined) return filled.join('');
      return refuse(`a value contains '${separator}', which ends it. Pass another value.`);
    })
    .join('/');
}

function encode(
  { subject, value, isWildcard, mayBeEmpty }: PathValue,
  refuse: (problem: string) => never,
): string {
  if (value === undefined) return refuse(`${subject} is missing. Pass it.`);
  if (value === '' && isWildcard && mayBeEmpty) return '';
  const encoded = encodeValue(value, isWildcard);
  if (encoded !== undefined) return encoded;
  const fix = Array.isArray(value)
    ? 'Pass a list of texts that are not empty, without commas, NUL, and spaces at their ends.'
    : "Pass text without NUL that is not empty, '.' or '..'.";
  return refuse(`${subject} cannot be part of a path. ${fix}`);
}

/**
 * Compares where a router ends the first of several values of one segment with where it does end: at the first
 * separator, such as the hyphen of `:from-:to`, in any case of its letters.
 *
 * @param filled - Text and encoded values in turn.
 * @returns The separator that a value contains; undefined if the values stay apart.
 */
function findAmbiguity(filled: readonly string[]): string | undefined {
  for (let index = 1; index + 2 < filled.length; index += 2) {
    const [value = '', separator = '', ...rest] = filled
      .slice(index)
      .map((text) => decodeURIComponent(text).toLowerCase());
    if ([value, separator, ...rest].join('').indexOf(separator, 1) !== value.length)
      return separator;
  }
  return undefined;
}

/** Encodes a value; undefined if no request can carry it. */
function encodeValue(value: unknown, isWildcard: boolean): string | undefined {
  const text = Array.isArray(value) ? listText(value) : value;
  return isWildcard ? encodeWildcardValue(text) : encodePathValue(text);
}

/**
 * Writes a list with commas between its elements; undefined if a route would not read them as they are, because one is
 * empty, contains a comma, or starts or ends with spaces.
 */
function listText(list: readonly unknown[]): string | undefined {
  const texts = list.map(pathText);
  const isReadable = texts.every(
    (text) => text !== undefined && text !== '' && text === text.trim() && !text.includes(','),
  );
  return isReadable ? texts.join(',') : undefined;
}

/**
 * Encodes a value as text within one segment of a path, so that a route receives the same text.
 *
 * @param value - A string, a number, a bigint, a boolean, or a date, which is written as in JSON.
 * @returns Undefined for other types, and for text that no request can carry there: empty text; `.` and `..`, which
 *   clients resolve even if they are encoded; NUL and lone surrogates.
 * @see RFC 3986 §5.2.4, https://url.spec.whatwg.org/#path-state
 */
export function encodePathValue(value: unknown): string | undefined {
  const text = pathText(value);
  const isRefused = text === undefined || /^\.{0,2}$/.test(text) || /\p{Cs}/u.test(text);
  return isRefused || text.includes('\0') ? undefined : encodeURIComponent(text);
}

/**
 * Same as {@link encodePathValue}, for a wildcard: slashes stay, and separate segments that all have text. The last
 * one may be followed by a slash.
 */
export function encodeWildcardValue(value: unknown): string | undefined {
  const text = pathText(value) ?? '';
  const slash = text.endsWith('/') ? '/' : '';
  const segments = text
    .slice(0, text.length - slash.length)
    .split('/')
    .map(encodePathValue);
  return segments.includes(undefined) ? undefined : segments.join('/') + slash;
}

function pathText(value: unknown): string | undefined {
  const isDate = value instanceof Date && !Number.isNaN(value.getTime());
  const isText = ['string', 'bigint', 'boolean'].includes(typeof value) || Number.isFinite(value);
  return isDate || isText ? textOf(value) : undefined;
}
