import type { Context } from '@fairlead/core';

/**
 * What a second way to write a path is made of: `//`, `.` and `..` segments, escaped slashes and
 * backslashes, and `#`, which stands in a path only when core could not bring it into its normal form.
 */
const AMBIGUOUS = /\/(?:\.{0,2}\/|\.{1,2}$)|%2f|%5c|#/i;

/**
 * Returns the path of a file below the place where files are served. Every file has one path there,
 * so that a route such as `/files/private/*path` matches every request for the files it protects.
 *
 * @param prefix - Without trailing slash. Where it is undefined, it is what stands before the
 *   wildcard of the route that matched, or else nothing.
 * @returns Percent-encoded; begins with a slash, or is empty for the place itself. Undefined when the
 *   request asks for something elsewhere, or asks in a second way.
 */
export function pathBelow(ctx: Context, prefix: string | undefined): string | undefined {
  const base = prefix ?? beforeWildcard(ctx);
  if (!ctx.path.startsWith(base)) return undefined;
  const path = ctx.path.slice(base.length);
  if (path !== '' && !path.startsWith('/')) return undefined;
  return AMBIGUOUS.test(path) ? undefined : path;
}

function beforeWildcard({ path, pattern = '' }: Context): string {
  const segments = pattern.split('/');
  if (segments.at(-1)?.startsWith('*') !== true) return '';
  return path
    .split('/')
    .slice(0, segments.length - 1)
    .join('/');
}
