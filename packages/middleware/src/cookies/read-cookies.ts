import type { AnyContext } from '@fairlead/core';
import { parseCookie } from 'cookie';

/** The cookies of a request by name: a frozen object without inherited members. */
export type RequestCookies = Readonly<Record<string, string | undefined>>;

const parsed = new WeakMap<AnyContext, RequestCookies>();

/**
 * Returns the cookies of a request, without those that the response sets. Parses the header on the
 * first call only.
 *
 * @returns The percent-decoded values. A malformed value is returned unchanged. Of several cookies
 *   with the same name, the first counts, which is the one with the longest path.
 * @see RFC 6265 §4.2, §5.4
 */
export function readCookies(ctx: AnyContext): RequestCookies {
  const earlier = parsed.get(ctx);
  if (earlier !== undefined) return earlier;
  const cookies = Object.freeze(parseCookie(ctx.get('Cookie') ?? ''));
  parsed.set(ctx, cookies);
  return cookies;
}
