import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a `DATABASE_URL` leads. */
export type Database =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

// This file lies in src/config/ or in dist/config/: the app's own folder is two up.
const DEFAULT_FILE = fileURLToPath(new URL('../../data/users.db', import.meta.url));

/** The database of a service that was told of none: a file in the app's own folder. */
export const DEFAULT_DATABASE_URL = `sqlite:${DEFAULT_FILE}`;

/**
 * Reads a database URL.
 *
 * @param url - `memory:`, `sqlite:PATH`, or a URL of the scheme `postgres:` or `postgresql:`.
 * @returns The database, with an absolute path, or undefined when the URL names none.
 */
export function readDatabaseUrl(url: string): Database | undefined {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^postgres(ql)?:/.test(url)) return URL.canParse(url) ? { kind: 'postgres', url } : undefined;
  // `sqlite://a/b` would look relative and lead to /a/b, so two slashes alone are refused.
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(url)?.[1];
  return path === undefined ? undefined : { kind: 'sqlite', path: resolve(path) };
}

/** Says no more of a URL than its scheme: any other place in it may hold a password. */
export function describeScheme(url: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(url)?.[0];
  return scheme === undefined ? 'has no scheme' : `is a URL of the scheme ${scheme}`;
}
