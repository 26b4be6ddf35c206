/** A version of the site. */
export interface SiteVersion {
  /** A version of the packages, such as `0.1.0`, or `main`. */
  readonly name: string;
  /** The path of its site, with a slash at each end. */
  readonly path: string;
}

/**
 * Returns the versions of the site: that of main, which is at the root, and those of releases, each in the folder with
 * its name.
 *
 * @param base - The path of this site, with a slash at each end.
 * @param released - The released versions.
 * @returns This version, and all versions in the order of `released`, after main.
 */
export function readVersions(
  base: string,
  released: readonly string[],
): { readonly current: string; readonly versions: readonly SiteVersion[] } {
  const current = released.find((name) => base.endsWith(`/${name}/`));
  const root = current === undefined ? base : base.slice(0, -current.length - 1);
  return {
    current: current ?? 'main',
    versions: [
      { name: 'main', path: root },
      ...released.map((name) => ({ name, path: `${root}${name}/` })),
    ],
  };
}

/** Adds a released version to a list, which begins with the latest one. */
export function addVersion(released: readonly string[], version: string): readonly string[] {
  return released.includes(version) ? released : [version, ...released];
}
