/** Joins the parts of a path with exactly one slash before each, and none at the end. */
export function joinPath(...parts: readonly (string | undefined)[]): string {
  const segments = parts.flatMap((part) => part?.split('/') ?? []);
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
}
