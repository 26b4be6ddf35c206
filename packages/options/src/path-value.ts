import { textOf } from './text.js';

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
