import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from './command-line.js';
import {
  applyConditions,
  type Choice,
  layersOf,
  type PackageManager,
  translateDockerfile,
} from './templates.js';

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

const GROUPS = ['dependencies', 'devDependencies'] as const;

interface Manifest {
  name: string;
  version: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What to create, and where. */
export interface ProjectOptions {
  readonly directory: string;
  readonly choice: Choice;
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
 * @param choice - The project cannot have the name of one of its dependencies.
 * @throws {UsageError} When the folder is not empty or cannot be read, or its name cannot be that of a package.
 */
export async function checkDirectory(directory: string, choice: Choice | undefined): Promise<void> {
  await checkName(basename(resolve(directory)), choice);
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

async function checkName(name: string, choice: Choice | undefined): Promise<void> {
  const problem = await findNameProblem(name, choice);
  if (problem === undefined) return;
  const valid = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  const example = valid === name || valid === '' ? 'my-app' : valid;
  throw new UsageError(
    `Cannot name the project '${name}': ${problem}. Choose another folder name, such as '${example}'.`,
  );
}

async function findNameProblem(
  name: string,
  choice: Choice | undefined,
): Promise<string | undefined> {
  // PostgreSQL cuts longer names of databases, and lines with them would be too long for the formatter.
  if (name.length > 63) return 'it has more than 63 characters';
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    return 'package names consist of lowercase letters, digits, dots, hyphens and underscores, and begin with a letter or digit';
  }
  if (RESERVED.includes(name)) return 'npm reserves this name';
  if (choice === undefined) return undefined;
  const { dependencies, devDependencies } = await mergeManifests(layersOf(choice));
  if (!Object.hasOwn({ ...dependencies, ...devDependencies }, name)) return undefined;
  return 'a dependency of the template has this name';
}

/**
 * Writes the files of a project.
 *
 * @returns Their paths in the folder, sorted: those of each folder are neighbors.
 * @throws {UsageError} When the folder cannot be used: see {@link checkDirectory}.
 */
export async function createProject(options: ProjectOptions): Promise<string[]> {
  const { choice, packageManager, isYarn1 } = options;
  await checkDirectory(options.directory, choice);
  const directory = normalize(options.directory);
  const name = basename(resolve(directory));
  const layers = layersOf(choice);
  const isStripped = layers.includes('stripped');
  const texts = new Map([['package.json', await createManifest(layers, name)]]);
  for (const from of foldersOf(layers)) {
    for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
      const file = RENAMED[entry.name] ?? entry.name;
      if (!entry.isFile() || file === 'package.json') continue;
      if ((ONLY_FOR[file] ?? packageManager) !== packageManager) continue;
      const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
      texts.set(join(relative(from, entry.parentPath), file), fill(file, text));
    }
  }
  // The conditions of the others are false.
  const files = [...texts.keys()].filter((file) => texts.get(file) !== '').sort(byFolder);
  for (const file of files) {
    const target = join(directory, file);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, texts.get(file) ?? '');
  }
  return files;

  function fill(file: string, template: string): string {
    const id = name.slice(0, 4).padEnd(4);
    return translate(file, applyConditions(template, [...layers, packageManager]))
      .replaceAll('{{name}}', name)
      .replace('0x7461736b, // "task"', `0x${Buffer.from(id).toString('hex')}, // "${id}"`)
      .replaceAll('{{secret}}', () => randomBytes(32).toString('base64url'));
  }

  /** Replaces commands of npm. Node.js that removes types needs the extension of the source in imports. */
  function translate(file: string, text: string): string {
    if (file === 'Dockerfile') return translateDockerfile(text, packageManager, isYarn1);
    if (file.endsWith('.md')) return text.replaceAll(/\bnpm\b/g, packageManager);
    return isStripped ? text.replaceAll(/( from '\.[^']+)\.js'/g, "$1.ts'") : text;
  }
}

function byFolder(a: string, b: string): number {
  return dirname(a).localeCompare(dirname(b)) || a.localeCompare(b);
}

/** Returns a manifest with the name, and with the versions of this release. */
async function createManifest(layers: readonly string[], name: string): Promise<string> {
  const { devDependencies: versions = {} } = await readManifest(PACKAGE);
  const manifest = { ...(await mergeManifests(layers)), name };
  for (const group of GROUPS) {
    const ranges = Object.entries(manifest[group] ?? {}).map(([dependency, range]) => [
      dependency,
      range === '*' ? (versions[dependency] ?? range) : range,
    ]);
    manifest[group] = Object.fromEntries(ranges.sort());
  }
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the manifest of the template, with the scripts and dependencies of all layers. */
async function mergeManifests(layers: readonly string[]): Promise<Manifest> {
  const existing = foldersOf(layers).filter((folder) => existsSync(join(folder, 'package.json')));
  const manifests = await Promise.all(existing.map(readManifest));
  const merged = Object.assign({}, ...manifests);
  for (const group of ['scripts', ...GROUPS] as const) {
    merged[group] = Object.assign({}, ...manifests.map((manifest) => manifest[group]));
  }
  return merged;
}

/** Returns the folders of the layers that have one. */
function foldersOf(layers: readonly string[]): string[] {
  return layers
    .map((layer) => join(PACKAGE, 'templates', layer))
    .filter((path) => existsSync(path));
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}
