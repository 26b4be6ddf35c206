import type { Middleware } from '../pipeline.js';
import { assertHeader, putHeader } from '../response.js';

/** Default headers, for a JSON API and pages without scripts. */
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
 * Sets security headers on all responses, including errors. Handlers can override them.
 *
 * @param changes - Headers to add or replace by name; `false` omits a header.
 * @throws {TypeError} When a name is not a token, or a value contains a control character.
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
