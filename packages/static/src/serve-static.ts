import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Context,
  type HeaderValue,
  InvalidPatternError,
  type Middleware,
  SetupError,
} from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  type Placement,
} from '@fairlead/core/extend';
import {
  anything,
  arrayOf,
  captureCaller,
  describeValue,
  either,
  findOptionProblems,
  fn,
  formatLocation,
  isIntended,
  type Kinds,
  kind,
  named,
  nonEmptyString,
  oneOf,
  publicReason,
  warn,
} from '@fairlead/options';
import { deniedDotfile, malformedPath, StaticRootError } from './errors.js';
import { CACHE_CONTROL, type FileRules, type OpenFile, openFile, respondWithFile } from './file.js';
import { parseQualities } from './negotiate.js';
import { hasDotfile, splitPath } from './path.js';
import { FILE_OPTIONS } from './send-file.js';

/** Options of {@link serveStatic}. */
export interface StaticOptions {
  /**
   * The path prefix of the files, such as `/assets` or `/assets/`. It has no parameters. Default: that of
   * `app.use(prefix, serveStatic(root))`; otherwise the part of the path before the wildcard of the matched
   * route, or `/` outside such a route.
   */
  readonly prefix?: string;
  /** The file to serve for a directory, or `false` for none. Default `'index.html'`. */
  readonly index?: string | false;
  /** Extensions to add to a path that has no file, in order, such as `['.html']`. Default: none. */
  readonly extensions?: readonly string[];
  /**
   * The file below the root to serve to browsers that navigate to a path without a file, such as
   * `'index.html'` of a single-page application. Default: none.
   */
  readonly fallback?: string;
  /**
   * How to treat names that start with a dot: `'ignore'` treats them as missing, `'deny'` responds
   * with 403, and `'allow'` serves them. Default `'ignore'`. `/.well-known/` is always served.
   */
  readonly dotfiles?: 'ignore' | 'allow' | 'deny';
  /**
   * `'follow'` serves the targets of symbolic links, even outside the directory. `'inside'` treats links out
   * of the directory as missing. Default `'follow'`.
   */
  readonly symlinks?: 'follow' | 'inside';
  /**
   * Whether to send `app.js.br`, `app.js.zst` or `app.js.gz` in place of `app.js` to clients that accept
   * the encoding. Default `false`.
   */
  readonly precompressed?: boolean;
  /** The value of `Cache-Control`, or `false` to omit it. Default `'no-cache'`. */
  readonly cacheControl?: string | false;
  /**
   * Returns further headers for a file. They replace all others, except that `Vary` is added to.
   *
   * @param path - The path of the file below the root, such as `docs/index.html`.
   */
  readonly headers?: (path: string, stats: Stats) => Readonly<Record<string, HeaderValue>>;
  /** Why everyone may read the files, for `createApp({ access: 'declared' })`. */
  readonly public?: string;
}

const STATIC_OPTIONS: Kinds<StaticOptions> = {
  // findPrefixErrors() checks it.
  prefix: anything,
  index: either(nonEmptyString, oneOf(false)),
  extensions: arrayOf(
    kind('an extension', (value) => typeof value === 'string' && /^\.[\w.-]+$/.test(value)),
    "an array of extensions such as '.html'",
  ),
  fallback: kind("a path below the root such as 'index.html'", isPathBelow),
  ...FILE_OPTIONS,
  headers: fn,
  public: publicReason,
};

function isPathBelow(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\0') && splitPath(value) !== undefined;
}

/** The resolved options of `serveStatic`. */
interface Lookup
  extends FileRules,
    Required<Pick<StaticOptions, 'index' | 'extensions' | 'dotfiles'>> {
  readonly headers: StaticOptions['headers'] | undefined;
  readonly fallback: string | undefined;
  /** Why everyone may read the files. */
  readonly reason: string | undefined;
  /** The absolute path of the directory. */
  readonly root: string;
}

/**
 * Serves the files of a directory to GET and HEAD requests. Calls `next()` for other methods and
 * when there is no file.
 *
 * With the option `prefix`, `app.use()` throws a {@link SetupError} `INVALID_OPTION` if no path is below both
 * that prefix and its own.
 *
 * A status and headers that are already set are kept. With a status other than 200, the whole file is sent.
 *
 * @param root - The directory: a path, relative to the working directory, or a `file:` URL.
 * @returns A middleware. It throws an `HttpError`: 400 for a malformed path, 403 for a denied
 *   dotfile and for a file that the process may not read, 412 or 416 when a precondition or range
 *   fails, 500 when the file cannot be read.
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
  const lookup: Lookup = Object.freeze({
    root: directory,
    boundary: options.symlinks === 'inside' ? directory : undefined,
    index: options.index ?? 'index.html',
    extensions: options.extensions ?? [],
    dotfiles: options.dotfiles ?? 'ignore',
    precompressed: options.precompressed ?? false,
    cacheControl: options.cacheControl ?? CACHE_CONTROL,
    headers: options.headers,
    fallback: options.fallback,
    reason: options.public,
  });
  const { prefix } = options;
  if (prefix === undefined) {
    const middleware = serveBelow(beforeWildcard, lookup);
    warnOfMissingFallback(middleware, lookup);
    const below = (mounted: string): Middleware => {
      const { length } = segmentsOf(mounted);
      return serveBelow(({ path }) => firstSegments(path, length), lookup);
    };
    return describe(middleware, { below });
  }
  const base = prefix.replace(/\/$/, '');
  const middleware = serveBelow(() => base, lookup, base);
  warnOfMissingFallback(middleware, lookup);
  const below = (mounted: string): Middleware => {
    assertOverlap(prefix, mounted);
    return middleware;
  };
  return describe(middleware, { below });
}

/**
 * Creates middleware that serves the files of a directory.
 *
 * @param baseOf - Returns the part of the path above the directory, without a trailing slash.
 * @param base - The option `prefix`, without a trailing slash.
 */
function serveBelow(baseOf: (ctx: Context) => string, lookup: Lookup, base = ''): Middleware {
  const hides = (path: string): boolean =>
    lookup.fallback !== undefined && pathBelow(path, base) !== undefined;
  const middleware: Middleware = named('serveStatic', (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const path = pathBelow(ctx.path, baseOf(ctx));
    if (path === undefined) return next();
    return respond(ctx, path, lookup).then((responded) => (responded ? undefined : next()));
  });
  const check = (placement: Placement) =>
    findUnreachedPrefix(placement, base) ??
    findFilelessRoute(placement, base, lookup) ??
    findPolicy(placement, lookup);
  const warning = () => describeLongCaching(lookup);
  const { reason } = lookup;
  return describe(middleware, {
    role: 'responder',
    hides,
    check,
    warning,
    ...(reason !== undefined && { public: reason }),
  });
}

/** Finds a policy with which browsers run no script of the fallback. */
function findPolicy(
  { before, routes }: Placement,
  { root, fallback, headers }: Lookup,
): Doubt | undefined {
  // The function may return another policy.
  if (fallback === undefined || headers !== undefined) return undefined;
  const all = [before, ...routes.map((route) => route.before)];
  const found = all
    .flatMap((some) => descriptionOf(some.findLast((one) => descriptionOf(one)?.policy)) ?? [])
    .find(({ policy = '' }) => !allowsScripts(policy));
  if (found === undefined || !hasScript(join(root, fallback))) return undefined;
  const message = `The Content-Security-Policy of ${found.name} lets browsers run no script of '${fallback}', the fallback of serveStatic(). Pass another policy to ${found.name}, such as "default-src 'self'", return one from the option headers, or pass serveStatic() to intended() if the page works without them.`;
  return { code: 'FAIRLEAD_OPTION', message };
}

/** Whether a file is a page with a script. */
function hasScript(file: string): boolean {
  try {
    return /<script\b/i.test(readFileSync(file, 'utf8'));
  } catch {
    // A file that does not exist has its own warning.
    return false;
  }
}

/** Whether a policy allows any script. CSP Level 3 §6.1.3 */
function allowsScripts(policy: string): boolean {
  const directives = policy.split(';').map((one) => one.trim().toLowerCase().split(/\s+/));
  const sourcesOf = (name: string) => directives.find(([first]) => first === name)?.slice(1);
  const sources =
    sourcesOf('script-src-elem') ?? sourcesOf('script-src') ?? sourcesOf('default-src');
  return sources === undefined || (sources.length > 0 && sources.join() !== "'none'");
}

/** A day, in seconds. */
const LONG = 86_400;

/** Warns about pages that browsers keep for long, although only files with a hash in their name never change. */
function describeLongCaching({
  root,
  fallback,
  index,
  cacheControl,
  headers,
}: Lookup): string | undefined {
  // The function may return another value.
  if (cacheControl === false || headers !== undefined) return undefined;
  const value = cacheControl.toLowerCase();
  if (/\bno-(?:cache|store)\b/.test(value)) return undefined;
  const isImmutable = /\bimmutable\b/.test(value);
  const age = Number(/(?<![\w-])max-age=(\d+)/.exec(value)?.[1] ?? 0);
  // An index page is kept for long only by mistake: its name stays the same in each release.
  const page = isImmutable && index !== false && existsSync(join(root, index)) ? index : undefined;
  const kept = isImmutable || age >= LONG ? (fallback ?? page) : page;
  if (kept === undefined) return undefined;
  return `serveStatic() sends '${kept}' with Cache-Control: ${cacheControl}, so browsers that have it miss new releases. Return a shorter time for it from the option headers, as in headers: (path) => (path === '${kept}' ? { 'Cache-Control': 'no-cache' } : {}), or pass serveStatic() to intended().`;
}

/** Finds out that no request to the routes has a path below the prefix. */
function findUnreachedPrefix({ routes }: Placement, base: string): Doubt | undefined {
  const [first] = routes;
  if (first === undefined || base === '') return undefined;
  const prefix = segmentsOf(base.toLowerCase());
  const reaches = (pattern: string): boolean => {
    const segments = segmentsOf(pattern.toLowerCase());
    const wildcard = segments.findIndex((segment) => segment.startsWith('*'));
    const isLong = wildcard >= 0 || segments.length >= prefix.length;
    const compared = wildcard >= 0 ? segments.slice(0, wildcard) : segments;
    const fits = (segment: string, index: number) =>
      /[:%]/.test(segment) || segment === (prefix[index] ?? segment);
    return isLong && compared.every(fits);
  };
  if (routes.some(({ isOwn, pattern }) => !isOwn || reaches(pattern))) return undefined;
  const message = `serveStatic() serves no file for the route ${first.pattern}, because no path of it is below the prefix '${base}'. Omit the prefix, register the route for '${base}/*path', or pass the middleware to intended().`;
  return { code: 'FAIRLEAD_ROUTE', message };
}

/** Finds routes without a wildcard for whose paths there is no file. */
function findFilelessRoute(
  { routes }: Placement,
  base: string,
  { root, index, extensions, fallback }: Lookup,
): Doubt | undefined {
  if (fallback !== undefined) return undefined;
  const exists = (path: string, isWhole: boolean): boolean => {
    const names = [path, ...extensions.map((extension) => path + extension)];
    const file = names.find((name) => existsSync(join(root, name)));
    if (file === undefined || !isWhole || !statSync(join(root, file)).isDirectory())
      return file !== undefined;
    return index !== false && existsSync(join(root, file, index));
  };
  // Middleware of a router may have files for some of its routes.
  const isMiddleware =
    routes.length > 1 && routes.every(({ isOwn, after }) => isOwn && after.length > 0);
  let missed = 0;
  for (const { pattern, isOwn, after } of routes) {
    const segments = segmentsOf(pattern);
    if (!isOwn || (after.length > 0 && !isMiddleware) || segments.at(-1)?.startsWith('*')) continue;
    const end = segments.findIndex((segment) => segment.includes(':'));
    const fixed = `/${(end < 0 ? segments : segments.slice(0, end)).join('/')}`;
    const below = pathBelow(fixed, base);
    if (below === undefined || below.includes('%') || exists(below, end < 0)) continue;
    missed += 1;
    if (isMiddleware) {
      if (missed < routes.length) continue;
      const message = `serveStatic() runs only for the routes that it is registered for, and finds no file for any of them in '${root}', such as for ${pattern}. Register it with app.use(), or for a route that ends with a wildcard, such as '/*path'. If the files are created later, pass the middleware to intended().`;
      return { code: 'FAIRLEAD_ROUTE', message };
    }
    const wildcard = `${fixed === '/' ? '' : fixed}/*path`;
    const fix = `Register it for '${wildcard}', or with app.use('${fixed}', …). If the file is created later, pass the middleware to intended().`;
    const message = `serveStatic() finds no file for the route ${pattern}, which has no wildcard: it looks for ${fixed} in '${root}'. ${fix}`;
    return { code: 'FAIRLEAD_ROUTE', message };
  }
  return undefined;
}

describeFactories(serveStatic);

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
  if (
    typeof prefix === 'string' &&
    /^(?:\/(?!\.{1,2}(?:\/|$))[\w\-.~!$&'()+,;=@]+)+\/?$/.test(prefix)
  )
    return [];
  const reason =
    "start the prefix with '/', and use no parameters and no '.' or '..'. To serve files below a parameter, use a route that ends with a wildcard.";
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
 * @param path - The path of the request.
 * @param base - The prefix, without a trailing slash.
 * @returns A path that starts with a slash, or an empty one for the prefix itself. Undefined when the
 *   request is for a different path or uses an alternative spelling.
 */
function pathBelow(path: string, base: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const below = path.slice(base.length);
  if (below !== '' && !below.startsWith('/')) return undefined;
  return AMBIGUOUS.test(below) ? undefined : below;
}

/** Returns the part of the path before the wildcard of the matched route, or the empty string. */
function beforeWildcard({ path, pattern = '' }: Context): string {
  const segments = segmentsOf(pattern);
  if (segments.at(-1)?.startsWith('*') !== true) return '';
  return firstSegments(path, segments.length - 1);
}

/** Returns the segments of a pattern, without empty ones at its ends. */
function segmentsOf(pattern: string): readonly string[] {
  return pattern.split('/').filter((segment) => segment !== '');
}

/** Returns the first segments of a path, without a trailing slash. */
function firstSegments(path: string, length: number): string {
  return path
    .split('/')
    .slice(0, length + 1)
    .join('/');
}

/**
 * Checks that paths exist that are below both prefixes.
 *
 * @param prefix - The option `prefix`.
 * @param mounted - The prefix in `app.use(prefix, middleware)`. May contain parameters and escapes.
 * @throws {SetupError} `INVALID_OPTION`
 */
function assertOverlap(prefix: string, mounted: string): void {
  const segments = segmentsOf(prefix.toLowerCase());
  const overlap = segmentsOf(mounted.toLowerCase()).every(
    (segment, index) => /[:%]/.test(segment) || segment === (segments[index] ?? segment),
  );
  if (overlap) return;
  throw new SetupError(
    'INVALID_OPTION',
    `app.use('${mounted}') received serveStatic() with the prefix '${prefix}', so it would never serve a file. Omit one of the two prefixes.`,
  );
}

/** Records the response for a path. Returns false when there is no file. */
async function respond(ctx: Context, path: string, lookup: Lookup): Promise<boolean> {
  const decoded = decode(path);
  const isDirectory = decoded.endsWith('/');
  const relative = decoded.slice(1, isDirectory ? -1 : undefined);
  const names = relative === '' ? [] : splitPath(relative);
  if (names === undefined) return false;
  // RFC 8615 §3: the directory is at the root of the host.
  const isWellKnown = path === ctx.path && names[0] === '.well-known';
  if (lookup.dotfiles !== 'allow' && hasDotfile(isWellKnown ? names.slice(1) : names)) {
    if (lookup.dotfiles === 'deny') throw deniedDotfile();
    return false;
  }
  return (await respondWith(ctx, names, isDirectory, lookup)) || respondWithFallback(ctx, lookup);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (cause) {
    throw malformedPath(cause);
  }
}

/** Responds with the file, the index of the directory, or the file with one of the extensions. */
async function respondWith(
  ctx: Context,
  names: readonly string[],
  isDirectory: boolean,
  lookup: Lookup,
): Promise<boolean> {
  const { index, extensions } = lookup;
  if (isDirectory) return index !== false && send(ctx, [...names, index], lookup);
  const path = names.join('/');
  const file = await open(names, lookup);
  if (typeof file === 'object') return send(ctx, names, lookup, file);
  if (file === 'directory' && index !== false) {
    const indexFile = await open([...names, index], lookup);
    if (typeof indexFile === 'object') {
      await indexFile.handle.close();
      redirectToDirectory(ctx);
      return true;
    }
  }
  for (const extension of path === '' ? [] : extensions) {
    if (await send(ctx, [`${path}${extension}`], lookup)) return true;
  }
  return false;
}

/** Warns unless the middleware is marked as intended by the end of the current operation. */
function warnOfMissingFallback(middleware: Middleware, { root, fallback }: Lookup): void {
  if (fallback === undefined || existsSync(join(root, fallback))) return;
  const locate = captureCaller(serveStatic);
  process.nextTick(() => {
    if (isIntended(middleware)) return;
    const problem = `serveStatic() cannot find its fallback '${fallback}' in '${root}'`;
    const fix =
      'Correct the path, or build the file. If it is built later, pass the middleware to intended().';
    warn('FAIRLEAD_FALLBACK', `${problem}. ${fix}${formatLocation(locate)}`);
  });
}

/**
 * Responds with the fallback to a browser that navigates. Only then does a browser ask for HTML by name: scripts,
 * styles and images have other types, and paths such as `/users/ada@example.com` may look like those of files.
 */
async function respondWithFallback(ctx: Context, lookup: Lookup): Promise<boolean> {
  const { fallback } = lookup;
  if (fallback === undefined) return false;
  ctx.append('Vary', 'Accept');
  const acceptsHtml = (parseQualities(ctx.get('Accept') ?? '').get('text/html') ?? 0) > 0;
  return acceptsHtml && send(ctx, [fallback], lookup);
}

function open(names: readonly string[], { root, boundary }: Lookup) {
  const path = names.join('/');
  return openFile(join(root, path), `/${path}`, boundary);
}

/** Responds with a file. Returns false if no file was found. */
async function send(
  ctx: Context,
  names: readonly string[],
  lookup: Lookup,
  opened?: OpenFile,
): Promise<boolean> {
  const file = opened ?? (await open(names, lookup));
  if (typeof file !== 'object') return false;
  const path = names.join('/');
  const { headers } = lookup;
  const headersOf = headers && ((stats: Stats) => headers(path, stats));
  await respondWithFile(ctx, join(lookup.root, path), file, lookup, headersOf);
  return true;
}

/**
 * Redirects to the path with a trailing slash, which the relative links of an index file require. The location is
 * relative, because a proxy or a gateway may have removed a prefix of the path.
 */
function redirectToDirectory(ctx: Context): void {
  const { url = '' } = ctx.req;
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  ctx.redirect(`./${posix.basename(ctx.path)}/${search}`, 301);
}
