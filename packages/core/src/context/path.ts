/** Only characters that RFC 3986 §3.3 lets stand in a path as they are, and no escape. */
const PLAIN_PATH = /^[\w\-.~!$&'()*+,;=:@/]*$/;

/** Escapes that `encodeURIComponent` writes for characters which a segment may hold unescaped. */
const NEEDLESS_ESCAPE = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

const NON_ASCII = /[^\0-\x7f]/;

/**
 * Brings a requested path into the one form that router, middleware and guards see: every character
 * that a segment may hold unescaped is unescaped, every other one is escaped with upper-case digits.
 * So `/%61dmin` and `/admin` are one path, while `%2F` stays inside its segment.
 *
 * @param path - Path as it stood in the request target, without query.
 * @returns The normal form, or undefined when an escape is malformed, is not UTF-8, or stands for NUL.
 * @see RFC 3986 §6.2.2
 */
export function normalizePath(path: string): string | undefined {
  if (PLAIN_PATH.test(path)) return path;
  if (NON_ASCII.test(path)) return undefined;
  try {
    const normal = path.split('/').map(normalizeSegment).join('/');
    return normal.includes('%00') ? undefined : normal;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Brings one segment, escaped or not, into the normal form of {@link normalizePath}.
 *
 * @throws {URIError} When an escape is malformed or is not UTF-8.
 */
export function normalizeSegment(segment: string): string {
  return encodeURIComponent(decodeURIComponent(segment)).replace(
    NEEDLESS_ESCAPE,
    decodeURIComponent,
  );
}

/**
 * Decodes a parameter's text.
 *
 * @param text - One segment in normal form.
 */
export function decodeParameter(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/**
 * Decodes a wildcard's text, except for `%2F`: every slash of the result is one that the router saw.
 *
 * @param text - The rest of a path, in normal form.
 */
export function decodeWildcard(text: string): string {
  return decodeParameter(text.replaceAll('%2F', '%252F'));
}

/**
 * Joins prefixes and a path with exactly one slash between them.
 *
 * @param parts - Each with or without slashes at its ends; `''` and `'/'` add nothing.
 * @returns A path that begins with a slash; a trailing slash of the last part is kept.
 */
export function joinPaths(...parts: readonly string[]): string {
  const joined = parts.filter((part) => part !== '' && part !== '/').join('/');
  return `/${joined}`.replace(/\/{2,}/g, '/');
}
