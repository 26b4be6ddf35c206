import type { Context } from '@fairlead/core';
import { parseSetCookie, type SetCookie } from 'cookie';
import { formatCookie } from './format-cookie.js';

/** Which cookie is meant: a client keeps one for each name with these. */
export interface CookieScope {
  /** Host whose subdomains get the cookie, too; by default only the host that set it gets it. */
  readonly domain?: string;
  /** Leading path of the requests that carry the cookie; `/` by default. */
  readonly path?: string;
  /** Whether each top-level site has its own; false by default. Needs `secure`. */
  readonly partitioned?: boolean;
  /** Whether it travels over TLS only; by default, whether this request came over TLS. */
  readonly secure?: boolean;
  /** Whether scripts in pages cannot see it; true by default. */
  readonly httpOnly?: boolean;
  /** Which requests of other sites carry it; `lax` by default. `none` needs `secure`. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
}

/** Attributes of a response cookie. */
export interface CookieOptions extends CookieScope {
  /** Whole seconds until the client forgets it; by default it does when it is closed. */
  readonly maxAge?: number;
  /** When the client forgets it; `maxAge` takes precedence over it. */
  readonly expires?: Date;
}

/**
 * Sets a cookie on the response, in place of one of the same name, domain, path and partition that
 * was set before.
 *
 * @param name - A token of RFC 9110. `__Host-` and `__Secure-` hold the options to their rules.
 * @param value - Percent-encoded where need be; no control characters.
 * @param options - Each has a safe default.
 * @throws {CookieError} 500, when clients would drop the cookie or read it otherwise.
 * @see RFC 6265 §4.1; RFC 6265bis §4.1.3 for the prefixes
 */
export function setCookie(
  ctx: Context,
  name: string,
  value: string,
  options: CookieOptions = {},
): void {
  const { path = '/', httpOnly = true, sameSite = 'lax', secure = cameOverTls(ctx) } = options;
  const cookie = { ...options, name, value, path, httpOnly, sameSite, secure };
  const line = formatCookie(cookie);
  const others = [ctx.responseHeaders.get('Set-Cookie') ?? []]
    .flat()
    .map(String)
    .filter((other) => identify(parseSetCookie(other)) !== identify(cookie));
  ctx.set('Set-Cookie', [...others, line]);
}

/**
 * Makes the client forget a cookie.
 *
 * @param scope - As the cookie was set: with another domain or path it is another cookie.
 * @throws {CookieError} 500, as {@link setCookie}.
 * @see RFC 6265 §3.1
 */
export function deleteCookie(ctx: Context, name: string, scope: CookieScope = {}): void {
  setCookie(ctx, name, '', { ...scope, maxAge: 0, expires: new Date(0) });
}

function cameOverTls({ req }: Context): boolean {
  return 'encrypted' in req.socket && req.socket.encrypted === true;
}

/** What makes a client take two cookies for one. RFC 6265 §5.3, step 11 */
function identify({ name, domain = '', path = '', partitioned = false }: SetCookie): string {
  const host = domain.toLowerCase().replace(/^\./, '');
  return JSON.stringify([name, host, path, partitioned]);
}
