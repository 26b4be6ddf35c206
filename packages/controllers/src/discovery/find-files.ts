import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import glob from 'fast-glob';
import { DiscoveryError } from '../errors/discovery-error.js';

/** What discovery looks for, and where. */
export interface DiscoveryOptions {
  /** Directory to scan: a path, relative to the working directory, or a `file:` URL. */
  readonly root: string | URL;
  /** Globs of the files to import, relative to root; `DEFAULT_INCLUDE` by default. */
  readonly include?: readonly string[];
  /** Globs of the files to leave alone, relative to root; `DEFAULT_EXCLUDE` by default. */
  readonly exclude?: readonly string[];
}

/** Globs that discovery includes unless told otherwise. */
export const DEFAULT_INCLUDE: readonly string[] = Object.freeze(['**/*.ts', '**/*.js']);

/** Globs that discovery excludes unless told otherwise. */
export const DEFAULT_EXCLUDE: readonly string[] = Object.freeze([
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
  const files = await glob([...include], {
    cwd: await openRoot(root),
    ignore: [...exclude],
    absolute: true,
    // Linked directories may form cycles; linked files, which may not, are no files to onlyFiles.
    followSymbolicLinks: false,
    onlyFiles: false,
  });
  const modules = files.filter((file) => MODULE.test(file)).sort();
  return [...new Set((await Promise.all(modules.map(realFile))).flat())];
}

/** The path under which node knows a file; nothing for a directory or a link that leads nowhere. */
async function realFile(path: string): Promise<string[]> {
  const isFile = await stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  return isFile ? [await realpath(path)] : [];
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
