import { RESOURCE_ROUTES, RESOURCES } from '../http/fixtures.js';

/** Methods and patterns of the 211 routes. */
export const ROUTES: readonly (readonly [method: string, pattern: string])[] = [
  ['GET', '/'],
  ...RESOURCES.flatMap((name) =>
    RESOURCE_ROUTES.map(([method, path]) => [method.toUpperCase(), `/${name}${path}`] as const),
  ),
];

/** One path with a parameter for each resource. */
export const PARAM_PATHS = paths((name, index) => `/${name}/${1_000 + index}`);

/** One path without for each resource. */
export const STATIC_PATHS = paths((name) => `/${name}`);

function paths(path: (name: string, index: number) => string): readonly [string, ...string[]] {
  const [first = '', ...others] = RESOURCES.map(path);
  return [first, ...others];
}
