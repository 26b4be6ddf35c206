import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './command-line.js';
import { type PackageManager, SHARED, type Template, translateDockerfile } from './templates.js';

/** The root of this package, from `dist/` as well as from `src/`. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** Names of files in the templates that tools would apply to this package, or that npm does not publish. */
const RENAMED: Readonly<Record<string, string>> = {
  _gitignore: '.gitignore',
  _env: '.env',
  '_biome.json': 'biome.json',
};

/** Files that a single package manager reads. */
const ONLY_FOR: Readonly<Record<string, PackageManager>> = {
  'pnpm-workspace.yaml': 'pnpm',
  '.yarnrc.yml': 'yarn',
};

/** Names that npm refuses. */
const RESERVED = ['node_modules', 'favicon.ico'];

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What to create, and where. */
export interface ProjectOptions {
  readonly directory: string;
  readonly template: Template;
  readonly packageManager: PackageManager;
  readonly isYarn1: boolean;
}

/** Returns the version of this package. */
export async function readVersion(): Promise<string> {
  return (await readManifest(PACKAGE)).version;
}

/**
 * Checks that a project can be created in a folder.
 *
 * @param directory - Absolute, or relative to the working directory. Need not exist.
 * @param template - The project cannot have the name of one of its dependencies.
 * @throws {UsageError} When the folder is not empty or cannot be read, or its name cannot be that of a package.
 */
export async function checkDirectory(
  directory: string,
  template: Template | undefined,
): Promise<void> {
  await checkName(basename(resolve(directory)), template);
  // The system does not find `missing/../my-app`, where the project would be written to `my-app`.
  const entries = await readdir(normalize(directory)).catch((error) => {
    if (error.code === 'ENOENT') return [];
    const reason = error.code === 'ENOTDIR' ? 'it is a file, or inside a file' : error.message;
    throw new UsageError(
      `Cannot create a project in '${directory}': ${reason}. Choose another folder.`,
    );
  });
  // A new repository of a hosting service.
  const [first, ...others] = entries.filter((entry) => entry !== '.git');
  if (first === undefined) return;
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new UsageError(
    `Cannot create a project in '${directory}': the folder is not empty. It contains ${first}${rest}. Choose another folder, or empty it.`,
  );
}

async function checkName(name: string, template: Template | undefined): Promise<void> {
  const problem = await findNameProblem(name, template);
  if (problem === undefined) return;
  const valid = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const example = valid === name || valid === '' ? 'my-app' : valid;
  throw new UsageError(
    `Cannot name the project '${name}': ${problem}. Choose another folder name, such as '${example}'.`,
  );
}

async function findNameProblem(
  name: string,
  template: Template | undefined,
): Promise<string | undefined> {
  if (name.length > 214) return 'package names have at most 214 characters';
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    return 'package names consist of lowercase letters, digits, dots, hyphens and underscores, and begin with a letter or digit';
  }
  if (RESERVED.includes(name)) return 'npm reserves this name';
  if (template === undefined) return undefined;
  const { dependencies, devDependencies } = await readManifest(
    join(PACKAGE, 'templates', template),
  );
  if (!Object.hasOwn({ ...dependencies, ...devDependencies }, name)) return undefined;
  return 'a dependency of the template has this name';
}

/**
 * Writes the files of a project.
 *
 * @throws {UsageError} When the folder cannot be used: see {@link checkDirectory}.
 */
export async function createProject(options: ProjectOptions): Promise<void> {
  const { template, packageManager, isYarn1 } = options;
  await checkDirectory(options.directory, template);
  const directory = normalize(options.directory);
  const name = basename(resolve(directory));
  const { devDependencies: versions = {} } = await readManifest(PACKAGE);
  for (const folder of [...SHARED[template], template]) {
    const from = join(PACKAGE, 'templates', folder);
    for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
      const file = RENAMED[entry.name] ?? entry.name;
      if (!entry.isFile() || (ONLY_FOR[file] ?? packageManager) !== packageManager) continue;
      const target = join(directory, relative(from, entry.parentPath), file);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(
        target,
        fill(file, await readFile(join(entry.parentPath, entry.name), 'utf8')),
      );
    }
  }

  function fill(file: string, text: string): string {
    if (file === 'package.json') return fillManifest(JSON.parse(text), name, versions);
    if (file === 'Dockerfile') return translateDockerfile(text, packageManager, isYarn1);
    if (file.endsWith('.md')) text = text.replaceAll(/\bnpm\b/g, packageManager);
    return text
      .replaceAll('{{name}}', name)
      .replaceAll('{{secret}}', () => randomBytes(32).toString('base64url'));
  }
}

/** Sets the name, and the versions of this release. */
function fillManifest(manifest: Manifest, name: string, versions: Record<string, string>): string {
  const filled = { ...manifest, name };
  for (const group of ['dependencies', 'devDependencies'] as const) {
    filled[group] = Object.fromEntries(
      Object.entries(manifest[group] ?? {}).map(([dependency, range]) => [
        dependency,
        range === '*' ? (versions[dependency] ?? range) : range,
      ]),
    );
  }
  return `${JSON.stringify(filled, null, 2)}\n`;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}
