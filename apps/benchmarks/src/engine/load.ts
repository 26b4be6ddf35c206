import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The root of this repository. */
export const ROOT = join(import.meta.dirname, '../../../..');

/** The environment variable with the root of another built checkout to load the packages from. */
export const ENGINE_ROOT = 'ENGINE_ROOT';

/** Imports the built entry module of a package from this checkout, or from that in {@link ENGINE_ROOT}. */
export function loadPackage<Package>(name: string): Promise<Package> {
  const root = process.env[ENGINE_ROOT] ?? ROOT;
  return import(pathToFileURL(join(root, 'packages', name, 'dist/index.js')).href);
}
