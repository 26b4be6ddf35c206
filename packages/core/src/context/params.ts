import { decodeParameter, decodeWildcard } from './path.js';
import type { MatchedRoute, RouteMatch } from './route-match.js';

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** The decoded parameters of the route that matched; none before one has. */
export function paramsOf(match: RouteMatch | undefined): Readonly<Record<string, string>> {
  return match === undefined ? NO_PARAMS : decodeParams(match.value, match.rawParams);
}

/**
 * Decodes the parameters of a route that matched.
 *
 * @param route - The route.
 * @param raw - What stands in the places of its parameters, still encoded.
 * @returns An object without prototype, so that `__proto__` is a name like any other.
 */
export function decodeParams(
  { names, endsInWildcard }: Pick<MatchedRoute, 'names' | 'endsInWildcard'>,
  raw: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  const wildcard = endsInWildcard ? names.length - 1 : -1;
  for (let index = 0; index < names.length; index += 1) {
    const decode = index === wildcard ? decodeWildcard : decodeParameter;
    params[names[index] ?? ''] = decode(raw[index] ?? '');
  }
  return params;
}
