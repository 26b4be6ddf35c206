import type { RouteOptions } from './route-options.js';

/** The strings that another package joined to the patterns of routes. */
const parts = new WeakMap<RouteOptions, readonly string[]>();

/**
 * Remembers what the pattern of a route consists of, for a package that joins it before it registers the route.
 *
 * @param options - The options with which it registers the route.
 * @param strings - As the application wrote them.
 */
export function setPathParts(options: RouteOptions, strings: readonly string[]): void {
  parts.set(options, [...(parts.get(options) ?? []), ...strings]);
}

/** Returns the strings that a pattern consists of: by default only itself. */
export function pathParts(options: RouteOptions, pattern: string): readonly string[] {
  return parts.get(options) ?? [pattern];
}
