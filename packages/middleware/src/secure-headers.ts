import { type Middleware } from '@fairlead/core';
import {
  type Doubt,
  describe,
  describeFactories,
  descriptionOf,
  type Placement,
  throwTogether,
} from '@fairlead/core/extend';
import { describeValue, findOptionProblems, named, nearestName, object } from '@fairlead/options';
import { isHeader } from './request-id.js';

/** Default headers, for a JSON API and pages without scripts. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
};

/** The placeholder for a request's nonce in a header. */
const NONCE = '{nonce}';

/**
 * Sets security headers on all responses, including errors. Handlers can override them.
 *
 * Replaces `{nonce}` in a header, such as in `script-src 'nonce-{nonce}'`, with 128 random bits for each
 * request, and sets `ctx.state.cspNonce` to them. Put this nonce into the `nonce` attribute of your scripts.
 *
 * @param changes - Headers to add or replace by name; `false` omits a default header.
 * @throws {SetupError} `INVALID_OPTION`, when a header cannot be sent, or a name probably means one of the
 *   default headers.
 * @see OWASP REST Security Cheat Sheet; RFC 6797 for Strict-Transport-Security; CSP Level 3 §2.3.1 for nonces
 */
export function secureHeaders(changes: Readonly<Record<string, string | false>> = {}): Middleware {
  const problems = findProblems(changes);
  throwTogether(problems);
  const byName = new Map<string, readonly [string, string | false]>(
    Object.entries({ ...DEFAULTS, ...changes }).map(([name, value]) => [
      name.toLowerCase(),
      [name, value],
    ]),
  );
  const headers = [...byName.values()].flatMap(([name, value]) =>
    value === false ? [] : [[name, value] as const],
  );
  const [constant, withNonce] = [false, true].map((hasNonce) =>
    headers.filter(([, value]) => value.includes(NONCE) === hasNonce),
  ) as [typeof headers, typeof headers];
  const [, policy] = byName.get('content-security-policy') ?? [];
  return describe<Middleware>(
    named('secureHeaders', (ctx, next) => {
      for (const [name, value] of constant) ctx.set(name, value);
      if (withNonce.length > 0) {
        // An import would load node:crypto with the package.
        const nonce = process.getBuiltinModule('node:crypto').randomBytes(16).toString('base64');
        ctx.state.cspNonce = nonce;
        for (const [name, value] of withNonce) ctx.set(name, value.replaceAll(NONCE, nonce));
      }
      return next();
    }),
    { role: 'middleware', check: findEarlierFiles, ...(policy && { policy }) },
  );
}

/** Finds what responds before the headers are set, such as static files. */
function findEarlierFiles({ before, routes }: Placement): Doubt | undefined {
  for (const earlier of [before, ...routes.map((route) => route.before)]) {
    const described = earlier.map(descriptionOf);
    const first = described.findIndex((one) => one?.name === 'secureHeaders()');
    const unprotected = first < 0 ? described : described.slice(0, first);
    const found = unprotected.find((one) => one?.role === 'responder');
    if (found === undefined) continue;
    const message = `The responses of ${found.name} lack the headers of secureHeaders(), which is registered after it. Register secureHeaders() first, or pass it to intended().`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

describeFactories(secureHeaders);

function findProblems(changes: object): readonly string[] {
  const call = 'secureHeaders()';
  if (!object.accepts(changes)) return findOptionProblems<object>(call, changes, {});
  return Object.entries(changes).flatMap(([name, value]) => {
    const nearest = nearestName(name, Object.keys(DEFAULTS));
    const isDefault = nearest?.toLowerCase() === name.toLowerCase();
    const fix = nearest === undefined ? 'Remove it.' : `Did you mean '${nearest}'?`;
    if (value === false) {
      return isDefault ? [] : `${call} cannot omit '${name}', which it does not set. ${fix}`;
    }
    // A name in camel case, as in helmet.
    if (!isDefault && nearest?.replaceAll('-', '').toLowerCase() === name.toLowerCase()) {
      return `${call} cannot set '${name}'. ${fix}`;
    }
    if (!isHeader(name, '')) return `${call} cannot set '${name}'. Use the name of a header.`;
    if (typeof value === 'string' && isHeader(name, value)) return [];
    return `${name} of ${call} must be false, or a string without control characters: got ${describeValue(value)}.`;
  });
}
