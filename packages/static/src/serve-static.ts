import { statSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Context, InvalidPatternError, type Middleware, SetupError } from '@fairlead/core';
import {
  anything,
  describeValue,
  either,
  findOptionProblems,
  type Kinds,
  kind,
  markFactories,
  nonEmptyString,
  oneOf,
} from '@fairlead/options';
import { StaticRootError } from './errors.js';
import { type LookupOptions, negotiate, openBody } from './negotiate.js';

/** Options of {@link serveStatic}. */
export interface StaticOptions {
  /**
   * The path prefix of the files, which starts with a slash and has no parameters. Default: the part
   * of the path before the wildcard of the matched route, or `/` outside such a route.
   */
  readonly prefix?: string;
  /** The file to serve for a directory, or `false` for none. Default `'index.html'`. */
  readonly index?: string | false;
  /**
   * How to treat names that start with a dot: `'ignore'` treats them as missing, `'deny'` responds
   * with 403, and `'allow'` serves them. Default `'ignore'`.
   */
  readonly dotfiles?: 'ignore' | 'allow' | 'deny';
  /** The value of `Cache-Control`, or `false` to omit it. Default `'public, max-age=0'`. */
  readonly cacheControl?: string | false;
}

const STATIC_OPTIONS: Kinds<StaticOptions> = {
  // findPrefixError() checks it.
  prefix: anything,
  index: either(nonEmptyString, oneOf(false)),
  dotfiles: oneOf('ignore', 'allow', 'deny'),
  cacheControl: either(kind('a string without control characters', isHeaderValue), oneOf(false)),
};

function isHeaderValue(value: unknown): boolean {
  try {
    validateHeaderValue('Cache-Control', String(value));
    return typeof value === 'string';
  } catch {
    return false;
  }
}

/**
 * Serves the files of a directory to GET and HEAD requests. Calls `next()` for other methods and
 * when there is no file.
 *
 * Symbolic links are followed, even out of the directory.
 *
 * @param root - The directory: a path, relative to the working directory, or a `file:` URL.
 * @returns A middleware. It throws an {@link HttpError}: 400 for a malformed path, 403 for a denied
 *   dotfile, 412 or 416 when a precondition or range fails, 500 when the file cannot be read.
 * @throws {StaticRootError} When `root` is not a directory.
 * @throws {InvalidPatternError} When `prefix` is invalid.
 * @throws {SetupError} `INVALID_OPTION`, when another option is unknown or invalid, or several arguments
 *   are.
 * @see RFC 9110 §13 (conditional requests), §14 (ranges)
 */
export function serveStatic(root: string | URL, options: StaticOptions = {}): Middleware {
  const directory = resolveRoot(root);
  const errors = [
    ...(typeof directory === 'string' ? [] : [directory]),
    ...findPrefixErrors(options?.prefix),
    ...findOptionProblems('serveStatic()', options, STATIC_OPTIONS).map(
      (message) => new SetupError('INVALID_OPTION', message),
    ),
  ];
  if (typeof directory !== 'string' || errors.length > 0) throw together(errors);
  const { index = 'index.html', dotfiles = 'ignore', cacheControl = 'public, max-age=0' } = options;
  const lookup = Object.freeze({ root: directory, index, dotfiles, cacheControl });
  const prefix = options.prefix === '/' ? '' : options.prefix;
  return function serveStatic(ctx, next) {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const path = pathBelow(ctx, prefix);
    if (path === undefined) return next();
    return respond(ctx, path, lookup).then((responded) => (responded ? undefined : next()));
  };
}

markFactories(serveStatic);

/** Returns the absolute path of a directory, or the error for anything else. */
function resolveRoot(root: unknown): string | StaticRootError {
  const path = pathOf(root);
  const isDirectory =
    path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory ? resolve(path) : new StaticRootError(root);
}

function pathOf(root: unknown): string | undefined {
  if (typeof root === 'string') return root;
  try {
    return root instanceof URL ? fileURLToPath(root) : undefined;
  } catch {
    return undefined;
  }
}

function findPrefixErrors(prefix: unknown): readonly SetupError[] {
  if (prefix === undefined || prefix === '/') return [];
  if (typeof prefix === 'string' && /^(?:\/(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()+,;=@]+)+$/.test(prefix))
    return [];
  const reason =
    "start the prefix with '/', do not end it with '/', and use no parameters and no '.' or '..'. To serve files below a parameter, use a route that ends with a wildcard.";
  return [
    new InvalidPatternError(typeof prefix === 'string' ? prefix : describeValue(prefix), reason),
  ];
}

/** Returns the only error, or one with all messages. */
function together(errors: readonly SetupError[]): SetupError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  return new SetupError('INVALID_OPTION', errors.map(({ message }) => message).join('\n'));
}

/**
 * Matches alternative spellings of a path: `//`, `.` and `..` segments, escaped slashes and
 * backslashes, and `#`, which only remains in a path that core could not normalize.
 */
const AMBIGUOUS = /\/(?:\.{0,2}\/|\.{1,2}$)|%2f|%5c|#/i;

/**
 * Returns the percent-encoded path of a file below the prefix. Every file has exactly one such path,
 * so a route such as `/files/private/*path` matches every request for the files it protects.
 *
 * @param prefix - Without a trailing slash. Default: the part before the wildcard of the matched
 *   route, or the empty string.
 * @returns A path that starts with a slash, or an empty one for the prefix itself. Undefined when the
 *   request is for a different path or uses an alternative spelling.
 */
function pathBelow(ctx: Context, prefix: string | undefined): string | undefined {
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

/** Records the response for a file. Returns false when there is no file. */
async function respond(ctx: Context, path: string, lookup: LookupOptions): Promise<boolean> {
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

/** Redirects to the path with a trailing slash, which the relative links of an index file require. */
async function redirectToIndex(
  ctx: Context,
  path: string,
  lookup: LookupOptions,
): Promise<boolean> {
  if (lookup.index === false) return false;
  const index = await negotiate(ctx, `${path}/`, lookup);
  if (index === undefined) return false;
  const { url = '' } = ctx.req;
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  ctx.redirect(`${ctx.path}/${search}`, 301);
  return true;
}
