import type { AnyContext } from '@fairlead/core';
import {
  anything,
  captureCaller,
  findOptionProblems,
  formatLocation,
  isIntended,
  type Kinds,
  object,
  warn,
} from '@fairlead/options';
import { parseSetCookie, type SetCookie } from 'cookie';
import { CookieError } from './errors.js';
import { formatCookie } from './format-cookie.js';

/** The attributes of a cookie without its lifetime. */
export interface CookieScope {
  /** The host whose subdomains also receive the cookie. Default: only the host that set it. */
  readonly domain?: string;
  /** The path prefix of requests that send the cookie. Default `/`. */
  readonly path?: string;
  /** Whether each top-level site has a separate cookie. Requires `secure`. Default false. */
  readonly partitioned?: boolean;
  /** Whether the cookie is sent only over TLS. Default: whether `ctx.protocol` is `https`. */
  readonly secure?: boolean;
  /** Whether the cookie is hidden from scripts in pages. Default true. */
  readonly httpOnly?: boolean;
  /** Which requests from other sites send the cookie. `none` requires `secure`. Default `lax`. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
}

/** The attributes of a response cookie. */
export interface CookieOptions extends CookieScope {
  /** The lifetime in whole seconds. Clients shorten it to 400 days. Default: until the client is closed. */
  readonly maxAge?: number;
  /** The time when the cookie expires. `maxAge` takes precedence. */
  readonly expires?: Date;
}

/** The options of a cookie. `formatCookie` checks their values. */
const COOKIE_OPTIONS: Kinds<CookieOptions> = {
  domain: anything,
  path: anything,
  partitioned: anything,
  secure: anything,
  httpOnly: anything,
  sameSite: anything,
  maxAge: anything,
  expires: anything,
};

/**
 * Sets a cookie on the response. Replaces an earlier one with the same name, domain, path and
 * partition.
 *
 * @param name - A token as defined in RFC 9110. The prefixes `__Host-`, `__Secure-`, `__Http-` and
 *   `__Host-Http-` restrict the options.
 * @param value - Text without control characters, which is percent-encoded where necessary.
 * @param options - Attributes, all with safe defaults.
 * @throws {CookieError} 500, when clients would drop or misread the cookie, or an option is unknown.
 * @see RFC 6265 §4.1; RFC 6265bis §4.1.3 for the prefixes
 */
export function setCookie(
  ctx: AnyContext,
  name: string,
  value: string,
  options: CookieOptions = {},
): void {
  assertKnown(name, options);
  const {
    path = '/',
    httpOnly = true,
    sameSite = 'lax',
    secure = ctx.protocol === 'https',
  } = options;
  const cookie = { ...options, name, value, path, httpOnly, sameSite, secure };
  const line = formatCookie(cookie);
  if (options.maxAge !== undefined && options.maxAge > MAX_SECONDS) warnOfAge(name, options);
  const others = [ctx.responseHeaders.get('Set-Cookie') ?? []]
    .flat()
    .map(String)
    .filter((other) => identify(parseSetCookie(other)) !== identify(cookie));
  ctx.set('Set-Cookie', [...others, line]);
}

/**
 * Deletes a cookie in the client.
 *
 * @param scope - The attributes that the cookie was set with. A different domain, path or partition
 *   is a different cookie.
 * @throws {CookieError} 500, under the same conditions as {@link setCookie}.
 * @see RFC 6265 §3.1
 */
export function deleteCookie(ctx: AnyContext, name: string, scope: CookieScope = {}): void {
  setCookie(ctx, name, '', { ...scope, maxAge: 0, expires: new Date(0) });
}

/** 400 days: clients do not keep cookies for longer. RFC 6265bis §5.5 */
const MAX_SECONDS = 34_560_000;

let hasWarned = false;

/** Warns once about a lifetime that clients shorten, because it was probably meant in milliseconds. */
function warnOfAge(name: string, options: CookieOptions): void {
  if (hasWarned || isIntended(options)) return;
  hasWarned = true;
  warn(
    'FAIRLEAD_OPTION',
    `The cookie '${name}' has a maxAge of ${options.maxAge} seconds, but clients keep cookies for at most 400 days. If you mean milliseconds, divide by 1,000; otherwise pass the options to intended().${formatLocation(captureCaller(setCookie))}`,
  );
}

/** @throws {CookieError} 500 `INVALID_OPTION`, when an option is unknown. */
function assertKnown(name: string, options: CookieOptions): void {
  const isKnown = (option: string): boolean => Object.hasOwn(COOKIE_OPTIONS, option);
  if (object.accepts(options) && Object.keys(options).every(isKnown)) return;
  const problems = findOptionProblems('setCookie()', options, COOKIE_OPTIONS);
  throw new CookieError('INVALID_OPTION', name, problems.join('\n'));
}

/** Returns a key that is equal for cookies that replace each other in a client. RFC 6265 §5.3, step 11 */
function identify({ name, domain = '', path = '', partitioned = false }: SetCookie): string {
  const host = domain.toLowerCase().replace(/^\./, '');
  return JSON.stringify([name, host, path, partitioned]);
}
