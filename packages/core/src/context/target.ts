import { normalizePath } from './path.js';

/** What a request line asks for. */
export interface Target {
  /** Normal form of the path; the text as it came when the target is malformed. */
  readonly path: string;
  /** Query without its question mark; empty when there is none. */
  readonly search: string;
  /** Whether the target cannot be routed, and is answered with 400. */
  readonly malformed: boolean;
}

/**
 * Reads a request target in origin, absolute or asterisk form. Never throws, so that logging and
 * error handling can use its path.
 *
 * @param method - Request method; only OPTIONS may ask for `*`.
 * @param text - Target as it stood in the request line.
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

/** The path and query of an absolute-form target as they were written, or undefined. */
function originForm(text: string): string | undefined {
  if (!/^https?:\/\/[^/?]/i.test(text) || !URL.canParse(text)) return undefined;
  const authority = text.indexOf('//') + 2;
  const end = text.slice(authority).search(/[/?]/);
  if (end === -1) return '/';
  const rest = text.slice(authority + end);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
