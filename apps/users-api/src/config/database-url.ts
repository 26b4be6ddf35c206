import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The database that a `DATABASE_URL` names. */
export type Database =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

// The app's folder is two levels up, both from src/config/ and from dist/config/.
const DEFAULT_FILE = fileURLToPath(new URL('../../data/users.db', import.meta.url));

/** The default database, a file in the app's folder. */
export const DEFAULT_DATABASE_URL = `sqlite:${DEFAULT_FILE}`;

/**
 * Parses a database URL.
 *
 * @param url - `memory:`, `sqlite:PATH`, or a `postgres:` or `postgresql:` URL.
 * @returns The database, with an absolute path, or undefined when the URL is invalid.
 */
export function readDatabaseUrl(url: string): Database | undefined {
  if (url === 'memory:') return { kind: 'memory' };
  if (/^postgres(ql)?:/.test(url)) return URL.canParse(url) ? { kind: 'postgres', url } : undefined;
  // `sqlite://a/b` looks relative but would mean /a/b.
  const path = /^sqlite:(?!\/\/[^/])(.+)$/.exec(url)?.[1];
  return path === undefined ? undefined : { kind: 'sqlite', path: resolve(path) };
}

/** Describes a URL by its scheme alone. Any other part may contain a password. */
export function describeScheme(url: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(url)?.[0];
  return scheme === undefined ? 'has no scheme' : `has the scheme ${scheme}`;
}
