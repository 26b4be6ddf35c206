import { statSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, InvalidPatternError, type Middleware } from '@fairlead/core';
import { StaticRootError } from './errors.js';
import { type Lookup, negotiate } from './negotiate.js';
import { openBody } from './open-body.js';
import { pathBelow } from './path-below.js';

/** Options of {@link serveStatic}. */
export interface StaticOptions {
  /**
   * Path below which the files are: begins with a slash, plain text without parameters. By default,
   * what stands before the wildcard of the route that matched; the whole path where none has.
   */
  readonly prefix?: string;
  /** File that answers for its directory; `'index.html'` by default, `false` for none. */
  readonly index?: string | false;
  /**
   * What becomes of names that begin with a dot: `'ignore'` takes them for missing (the default),
   * `'deny'` answers 403, `'allow'` serves them.
   */
  readonly dotfiles?: 'ignore' | 'allow' | 'deny';
  /** Value of `Cache-Control`; `'public, max-age=0'` by default, `false` for no such header. */
  readonly cacheControl?: string | false;
}

/**
 * Serves the files of a directory to GET and HEAD. Any other request, and one for which there is no
 * file, goes on to `next()`.
 *
 * Symbolic links are followed, wherever they lead.
 *
 * @param root - The directory: a path, relative to the working directory, or a `file:` URL.
 * @returns A middleware. It throws {@link HttpError} 400 when the path is malformed, 403 for a name
 *   with a dot that is denied, 412 and 416 when a precondition or range does not hold, 500 when the
 *   file cannot be read.
 * @throws {StaticRootError} When `root` is no directory.
 * @throws {InvalidPatternError} When `prefix` cannot be read.
 * @throws {TypeError} When `cacheControl` holds a control character.
 * @see RFC 9110 §13 (conditional requests), §14 (ranges)
 */
export function serveStatic(root: string | URL, options: StaticOptions = {}): Middleware {
  const { index = 'index.html', dotfiles = 'ignore', cacheControl = 'public, max-age=0' } = options;
  if (cacheControl !== false) validateHeaderValue('Cache-Control', cacheControl);
  const lookup = Object.freeze({ root: findRoot(root), index, dotfiles, cacheControl });
  const prefix = readPrefix(options.prefix);
  return function serveStatic(ctx, next) {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const path = pathBelow(ctx, prefix);
    if (path === undefined) return next();
    return answer(ctx, path, lookup).then((answered) => (answered ? undefined : next()));
  };
}

function findRoot(root: string | URL): string {
  const path = root instanceof URL ? fileURLToPath(root) : root;
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new StaticRootError(path);
  return resolve(path);
}

function readPrefix(prefix: string | undefined): string | undefined {
  if (prefix === undefined || /^(?:\/[\w\-.~!$&'()+,;=@]+)+$/.test(prefix)) return prefix;
  if (prefix === '/') return '';
  const reason =
    "a prefix begins with '/', does not end with it, and holds no parameters. Below parameters, serve files in a route that ends with a wildcard.";
  throw new InvalidPatternError(prefix, reason);
}

/** Records the answer; returns whether there is one. */
async function answer(ctx: Context, path: string, lookup: Lookup): Promise<boolean> {
  const found = await negotiate(ctx, path, lookup);
  if (found === undefined) return false;
  if (found === 'directory') return redirectToIndex(ctx, path, lookup);
  const body = await openBody(found, ctx.method);
  if (body === undefined) return false;
  for (const [name, value] of found.headers) ctx.set(name, value);
  ctx.status = found.status;
  ctx.send(body);
  return true;
}

/** Sends the client to the path with a slash, from which the links of an index file are right. */
async function redirectToIndex(ctx: Context, path: string, lookup: Lookup): Promise<boolean> {
  if (lookup.index === false) return false;
  const index = await negotiate(ctx, `${path}/`, lookup);
  if (index === undefined) return false;
  const { url = '' } = ctx.req;
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  ctx.redirect(`${ctx.path}/${search}`, 301);
  return true;
}
