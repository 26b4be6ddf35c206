/**
 * Joins the parts of a route's path with exactly one slash between them.
 *
 * @param parts - Each with or without slashes at its ends; empty and absent ones add nothing.
 * @returns A path that begins with a slash and, unless it is the root, does not end with one.
 */
export function joinPath(...parts: readonly (string | undefined)[]): string {
  const segments = parts.flatMap((part) => part?.split('/') ?? []);
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
}
