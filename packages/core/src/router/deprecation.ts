import { named } from '@fairlead/options';
import type { Middleware } from '../pipeline/pipeline.js';
import type { Deprecation } from './route-options.js';

/**
 * Creates the middleware that tells clients of a deprecated route so.
 *
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version)
 */
export function announceDeprecation(deprecation: Deprecation): Middleware {
  const { since, sunset, replacement, link } = deprecation;
  const date = `@${new Date(since).getTime() / 1_000}`;
  const end = sunset === undefined ? undefined : new Date(sunset).toUTCString();
  const links = [
    ...(replacement === undefined ? [] : [`<${replacement}>; rel="successor-version"`]),
    ...(link === undefined ? [] : [`<${link}>; rel="deprecation"; type="text/html"`]),
  ].join(', ');
  return named('deprecated', (ctx, next) => {
    ctx.set('Deprecation', date);
    if (end !== undefined) ctx.set('Sunset', end);
    if (links !== '') ctx.append('Link', links);
    return next();
  });
}

/** Describes in a sentence since when a route is deprecated. */
export function describeDeprecation({ since, sunset, replacement, link }: Deprecation): string {
  const end = sunset === undefined ? '' : ` It may be gone from ${sunset} on.`;
  const instead = replacement === undefined ? '' : ` Use ${replacement} instead.`;
  return `Deprecated since ${since}.${end}${instead}${link === undefined ? '' : ` See ${link}.`}`;
}
