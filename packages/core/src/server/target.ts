/** A parsed request target. */
export interface Target {
  /** The path in normal form, or as received when the target is malformed. */
  readonly path: string;
  /** The query without its question mark; may be empty. */
  readonly search: string;
  /** Whether the target cannot be routed. The application responds with 400. */
  readonly malformed: boolean;
}

/**
 * Parses a request target in origin, absolute or asterisk form. Never throws, so loggers and error
 * handlers can use the path.
 *
 * @param method - The request method. Only OPTIONS may request `*`.
 * @param text - The target from the request line.
 * @see RFC 9112 §3.2
 */
export function parseTarget(method: string, text: string): Target {
  if (text === '*') return { path: text, search: '', malformed: method !== 'OPTIONS' };
  const origin = text.startsWith('/') ? text : originForm(text);
  if (origin === undefined) return { path: text, search: '', malformed: true };
  const mark = origin.indexOf('?');
  const raw = mark === -1 ? origin : origin.slice(0, mark);
  const search = mark === -1 ? '' : origin.slice(mark + 1);
  const path = raw.includes('#') ? undefined : normalizePath(raw);
  return { path: path ?? raw, search, malformed: path === undefined };
}

/** Matches a host with an optional port. Refuses commas, which may join hosts. RFC 3986 §3.2.2 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+|\[[\da-f]*:[\da-f:.]+\])(?::\d*)?$/i;

/** Whether a text is a host with an optional port, as URLs have it. */
export function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}

/** Matches the start of an absolute-form target. User information is an error. RFC 9110 §4.2.4 */
const ORIGIN = /^https?:\/\/([^/?#@\\]+)(?=[/?]|$)/i;

/**
 * Returns the host and the port of an absolute-form target as received, or undefined for other forms and
 * malformed targets.
 *
 * @see RFC 9112 §3.2.2
 */
export function authorityOf(text: string): string | undefined {
  if (text.startsWith('/')) return undefined;
  const authority = ORIGIN.exec(text)?.[1];
  return authority !== undefined && URL.canParse(text) ? authority : undefined;
}

/** Returns the path and query of an absolute-form target, or undefined. */
function originForm(text: string): string | undefined {
  const authority = authorityOf(text);
  if (authority === undefined) return undefined;
  const rest = text.slice(text.indexOf('//') + 2 + authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Matches a path that contains only characters that RFC 3986 §3.3 allows unescaped. */
export const PLAIN_PATH = /^[\w\-.~!$&'()*+,;=:@/]*$/;

/** Matches escapes that `encodeURIComponent` writes but a segment does not need. */
const NEEDLESS_ESCAPE = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

const NON_ASCII = /[^\0-\x7f]/;

/**
 * Normalizes the percent-encoding of a path. Characters that a segment may contain unescaped are
 * unescaped; all others are escaped in upper case. `/%61dmin` becomes `/admin`, while `%2F` stays
 * inside its segment. The router, middleware and guards all see this form.
 *
 * @param path - The path from the request target, without the query.
 * @returns The normal form, or undefined when an escape is malformed, is not UTF-8, or encodes NUL.
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

/** @throws {URIError} When an escape is malformed or is not UTF-8. */
export function normalizeSegment(segment: string): string {
  return encodeURIComponent(decodeURIComponent(segment)).replace(
    NEEDLESS_ESCAPE,
    decodeURIComponent,
  );
}
