import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from 'fast-glob';
import { DiscoveryError } from '../errors/discovery-error.js';

/** What discovery looks for, and where. */
export interface DiscoveryOptions {
  /** Directory to scan: a path, relative to the working directory, or a `file:` URL. */
  readonly root: string | URL;
  /** Globs of the files to import, relative to root. Default: every `.ts` and `.js` file. */
  readonly include?: readonly string[];
  /**
   * Globs of the files to leave alone, relative to root. Default: tests, `node_modules`, `dist` and
   * `__tests__`.
   */
  readonly exclude?: readonly string[];
}

/** Globs that discovery includes unless told otherwise. */
const DEFAULT_INCLUDE: readonly string[] = Object.freeze(['**/*.ts', '**/*.js']);

/** Globs that discovery excludes unless told otherwise. */
const DEFAULT_EXCLUDE: readonly string[] = Object.freeze([
  '**/*.test.ts',
  '**/*.spec.ts',
  '**/*.test.js',
  '**/*.spec.js',
  '**/node_modules/**',
  '**/dist/**',
  '**/__tests__/**',
]);

/** Modules that node or a loader can import, whatever the globs let through. */
const MODULE = /(?<!\.d)\.(?:ts|mts|js|mjs)$/;

/**
 * Lists the files that discovery is to import.
 *
 * @returns Real paths, each once, in the order of their paths below root by code units. Linked
 *   files are followed, linked directories are not.
 * @throws {DiscoveryError} 500, when root is missing or is no directory.
 */
export async function findFiles({
  root,
  include = DEFAULT_INCLUDE,
  exclude = DEFAULT_EXCLUDE,
}: DiscoveryOptions): Promise<string[]> {
  const cwd = await openRoot(root);
  // Only a start that scans a directory pays for it: it is a tenth of the import of this package.
  const { default: glob } = await import('fast-glob');
  const entries = await glob([...include], {
    cwd,
    ignore: [...exclude],
    absolute: true,
    // Linked directories may form cycles; linked files, which may not, are no files to onlyFiles.
    followSymbolicLinks: false,
    onlyFiles: false,
    objectMode: true,
  });
  const modules = entries
    .filter(({ path }) => MODULE.test(path))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const folders = new Map<string, Promise<string>>();
  const files = await Promise.all(modules.map((entry) => realFile(entry, folders)));
  return [...new Set(files.flat())];
}

/**
 * The path under which node knows a file; nothing for a directory or a link that leads nowhere.
 *
 * @param folders - Real paths of the folders that were met: a pattern may lead through a link.
 */
async function realFile(
  { path, dirent }: Entry,
  folders: Map<string, Promise<string>>,
): Promise<string[]> {
  if (dirent.isSymbolicLink()) {
    const isFile = await stat(path).then(
      (stats) => stats.isFile(),
      () => false,
    );
    return isFile ? [await realpath(path)] : [];
  }
  if (!dirent.isFile()) return [];
  const folder = dirname(path);
  const real = folders.get(folder) ?? realpath(folder);
  folders.set(folder, real);
  return [join(await real, basename(path))];
}

/** The absolute path that a root stands for. */
export function rootPath(root: string | URL): string {
  const isUrl = root instanceof URL || root.startsWith('file:');
  return isUrl ? fileURLToPath(root) : resolve(root);
}

/** The real path of the root, as modules below it will be known to node. */
async function openRoot(root: string | URL): Promise<string> {
  const path = rootPath(root);
  try {
    // With a slash at its end, a path that is no directory is an error.
    return await realpath(`${path}/`);
  } catch (cause) {
    throw new DiscoveryError(path, {
      problem: 'the root is missing or is no directory.',
      fix: 'give an existing directory: an absolute path, or new URL("./controllers/", import.meta.url).',
      cause,
    });
  }
}
