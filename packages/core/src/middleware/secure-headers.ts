import { assertHeader, putHeader } from '../context/response-headers.js';
import type { Middleware } from '../pipeline/middleware.js';

/** Headers that are safe for a JSON API and for pages without scripts. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/**
 * Sets response headers that make browsers careful, errors included. A handler may set any of them
 * otherwise.
 *
 * @param changes - Headers to add or to replace by name; `false` leaves one out.
 * @returns The middleware.
 * @throws {TypeError} When a name is not a token, or a value holds a control character.
 * @see OWASP REST Security Cheat Sheet; RFC 6797 for Strict-Transport-Security
 */
export function secureHeaders(changes: Readonly<Record<string, string | false>> = {}): Middleware {
  const byName = new Map<string, readonly [string, string | false]>(
    Object.entries({ ...DEFAULTS, ...changes }).map(([name, value]) => [
      name.toLowerCase(),
      [name, value],
    ]),
  );
  const headers = [...byName.values()].flatMap(([name, value]) =>
    value === false ? [] : [[name, value] as const],
  );
  for (const [name, value] of headers) assertHeader(name, value);
  return function secureHeaders(ctx, next) {
    for (const [name, value] of headers) putHeader(ctx.responseHeaders, name, value);
    return next();
  };
}
