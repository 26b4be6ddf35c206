import { arrayOf, kind } from './kinds.js';

/**
 * Whether a value is the origin of pages, as browsers send it: in lower case, with a scheme, and without a default port
 * or a path. Applications with web views and browser extensions have schemes of their own. No page is loaded from the
 * address of a socket.
 *
 * @see RFC 6454 §6.2
 */
export function isOrigin(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  if (/^https?:/i.test(value))
    return /^https?:\/\/[a-z\d._:[\]-]+$/.test(value) && URL.parse(value)?.origin === value;
  return /^(?!wss?:)[a-z][a-z\d+.-]*:\/\/[\w.:-]*$/.test(value);
}

/** Returns the origin of the pages of an application, from the protocol and `Host` of a request to it. RFC 6454 §6.2 */
export function originOf(protocol: string, host: string): string | undefined {
  return URL.parse(`${protocol}://${host}`)?.origin;
}

/** Accepts the origins of an option. */
export const origins = arrayOf(
  kind('an origin', isOrigin),
  "an array of origins, such as 'https://app.example.com', without a path or a trailing slash",
);
