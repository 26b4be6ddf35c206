import type { Context } from '@fairlead/core';
import { parseCookie } from 'cookie';

/** The cookies of a request by name: a frozen object without prototype. */
export type RequestCookies = Readonly<Record<string, string | undefined>>;

const parsed = new WeakMap<Context, RequestCookies>();

/**
 * Reads the cookies of a request. The header is parsed once; cookies that the response sets are not
 * among them.
 *
 * @returns Values without their percent-encoding; one whose encoding is malformed stays as it came.
 *   Of several cookies with one name the first, which is the one with the longest path.
 * @see RFC 6265 §4.2, §5.4
 */
export function readCookies(ctx: Context): RequestCookies {
  const known = parsed.get(ctx);
  if (known !== undefined) return known;
  const cookies: RequestCookies = Object.assign(
    Object.create(null),
    parseCookie(ctx.get('Cookie') ?? ''),
  );
  parsed.set(ctx, Object.freeze(cookies));
  return cookies;
}
