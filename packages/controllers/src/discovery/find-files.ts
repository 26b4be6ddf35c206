import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  arrayOf,
  describeFile,
  type Kinds,
  kind,
  type Locate,
  nonEmptyString,
} from '@fairlead/options';
import type { Entry } from 'fast-glob';
import {
  type ControllerError,
  codeOf,
  DiscoveryError,
  findOptionErrors,
  optionError,
} from '../errors.js';

/** Where discovery looks for controllers. */
export interface DiscoveryOptions {
  /** Directory to scan: a path, relative to the working directory, or a `file:` URL. */
  readonly root: string | URL;
  /** Globs of the files to import, relative to root. Default: every `.ts` and `.js` file. */
  readonly include?: readonly string[];
  /**
   * Globs of the files to ignore, relative to root. Default: tests, `node_modules`, `dist` and
   * `__tests__`.
   */
  readonly exclude?: readonly string[];
}

const globs = arrayOf(nonEmptyString, "an array of globs, such as ['**/*.controller.js']");

export const DISCOVERY_OPTIONS: Kinds<DiscoveryOptions> = {
  root: kind(
    "a path or a file: URL, such as new URL('./controllers/', import.meta.url)",
    (value) =>
      nonEmptyString.accepts(value) || (value instanceof URL && value.protocol === 'file:'),
  ),
  include: globs,
  exclude: globs,
};

export function checkDiscoveryOptions(options: DiscoveryOptions | undefined): ControllerError[] {
  const call = 'discoverControllers()';
  const errors = findOptionErrors(call, options, DISCOVERY_OPTIONS);
  if (options?.root !== undefined || errors.length > 0) return errors;
  return [optionError(`${call} needs a root. Pass ${DISCOVERY_OPTIONS.root.description}.`)];
}

const DEFAULT_INCLUDE: readonly string[] = Object.freeze(['**/*.ts', '**/*.js']);

const DEFAULT_EXCLUDE: readonly string[] = Object.freeze([
  '**/*.test.ts',
  '**/*.spec.ts',
  '**/*.test.js',
  '**/*.spec.js',
  '**/node_modules/**',
  '**/dist/**',
  '**/__tests__/**',
]);

/** Files that Node.js or a loader can import. */
const MODULE = /(?<!\.d)\.(?:ts|mts|js|mjs)$/;

const DECLARATION = /\.d\.[cm]?ts$/;

/**
 * Lists the real paths of the files that discovery imports, sorted by the code units of the paths below root.
 * Follows links to files, but not to directories.
 *
 * @param locate - Finds the call with the options; unknown by default.
 * @throws {DiscoveryError} 500, when root is missing or is not a directory.
 */
export async function findFiles(
  { root, include = DEFAULT_INCLUDE, exclude = DEFAULT_EXCLUDE }: DiscoveryOptions,
  locate?: Locate,
): Promise<string[]> {
  const cwd = await openRoot(root, locate);
  // Loaded on demand, because it would account for a tenth of this package's import time.
  const { default: glob } = await import('fast-glob');
  const entries = await glob([...include], {
    cwd,
    ignore: [...exclude],
    absolute: true,
    // Links to directories may form cycles. onlyFiles would also omit links to files.
    followSymbolicLinks: false,
    onlyFiles: false,
    objectMode: true,
  });
  const modules = entries
    .filter(({ path }) => MODULE.test(path))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const directories = new Map<string, Promise<string>>();
  const files = await Promise.all(modules.map((entry) => resolveFile(entry, directories)));
  return [...new Set(files.flat())];
}

/** Explains why {@link findFiles} found no file: the rest of a sentence, then lines for the globs and the fix. */
export async function explainNoFiles({
  root,
  include = DEFAULT_INCLUDE,
  exclude = DEFAULT_EXCLUDE,
}: DiscoveryOptions): Promise<string> {
  const { default: glob } = await import('fast-glob');
  const cwd = await openRoot(root);
  const findFirst = async (globs: readonly string[], ignore: readonly string[] = []) => {
    const files = glob.stream([...globs], { cwd, ignore: [...ignore], followSymbolicLinks: false });
    for await (const file of files) if (!DECLARATION.test(String(file))) return String(file);
    return undefined;
  };
  const explain = (reason: string, fix: string): string =>
    `${reason}\n  Include: ${include.join(', ')}\n  Exclude: ${exclude.join(', ')}\n  Fix: ${fix}`;
  const excluded = await findFirst(include);
  if (excluded !== undefined && MODULE.test(excluded)) {
    const reason = `exclude leaves out every file that include matches, such as ${excluded}.`;
    return explain(reason, 'set exclude, or point root at the directory of the controllers.');
  }
  const found = await findFirst(['**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}'], exclude);
  if (found === undefined) {
    return explain('it contains no modules.', 'point root at the directory of the controllers.');
  }
  const [reason, fix] = MODULE.test(found)
    ? [
        `include does not match its modules, such as ${found}.`,
        `set include, as in include: ['**/*${extname(found)}'].`,
      ]
    : [`discovery only imports .ts, .mts, .js and .mjs files, not ${found}.`, 'rename the files.'];
  return explain(reason, fix);
}

/** Returns the path under which Node.js knows a file, in a list; an empty list for a directory or a broken link. */
async function resolveFile(
  { path, dirent }: Entry,
  directories: Map<string, Promise<string>>,
): Promise<string[]> {
  if (dirent.isSymbolicLink()) {
    const isFile = await stat(path).then(
      (stats) => stats.isFile(),
      () => false,
    );
    return isFile ? [await realpath(path)] : [];
  }
  if (!dirent.isFile()) return [];
  const directory = dirname(path);
  const real = directories.get(directory) ?? realpath(directory);
  directories.set(directory, real);
  return [join(await real, basename(path))];
}

export function rootPath(root: string | URL): string {
  const isUrl = root instanceof URL || root.startsWith('file:');
  return isUrl ? fileURLToPath(root) : resolve(root);
}

/** Resolves the real path of the root, which Node.js uses for the modules below it. */
async function openRoot(root: string | URL, locate?: Locate): Promise<string> {
  const path = rootPath(root);
  try {
    // A trailing slash makes realpath fail for a file.
    return await realpath(`${path}/`);
  } catch (cause) {
    const location = locate?.();
    const name = location === undefined ? 'root' : `root '${describeFile(path)}'`;
    if (codeOf(cause) === 'ENOTDIR') {
      const problem = `${name} is a file, not a directory.`;
      const fix = `pass its directory: '${dirname(path)}'.`;
      throw new DiscoveryError(path, { problem, fix, cause }, location);
    }
    const problem = `${name} does not exist.`;
    const fix =
      'pass an existing directory: an absolute path, or new URL("./controllers/", import.meta.url).';
    throw new DiscoveryError(path, { problem, fix, cause }, location);
  }
}
