import { decodeParameter } from './path.js';

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
