import { decodeParameter } from './path.js';
import type { RouteMatch } from './route-match.js';

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** The decoded parameters of the route that matched; none before one has. */
export function paramsOf(match: RouteMatch | undefined): Readonly<Record<string, string>> {
  return match === undefined ? NO_PARAMS : decodeParams(match.value.names, match.rawParams);
}

/**
 * Decodes the parameters of a route that matched.
 *
 * @param names - Names of its parameters, in the order of the path.
 * @param raw - What stands in their places, still encoded.
 * @returns An object without prototype, so that `__proto__` is a name like any other.
 */
export function decodeParams(
  names: readonly string[],
  raw: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  for (let index = 0; index < names.length; index += 1) {
    params[names[index] ?? ''] = decodeParameter(raw[index] ?? '');
  }
  return params;
}
