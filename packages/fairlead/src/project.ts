import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeFile, escapeLine, isPlainObject } from '@fairlead/options';
import { UsageError } from './errors.js';

/** What the commands read of a package.json. */
export interface Manifest {
  readonly version?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A source file of the project. */
export interface SourceFile {
  /** Relative to the working directory. */
  readonly path: string;
  readonly text: string;
}

/** @throws {UsageError} When the working directory has no package.json, or it is not JSON. */
export function readManifest(): { readonly text: string; readonly manifest: Manifest } {
  if (!existsSync('package.json')) {
    throw new UsageError(
      `There is no package.json in ${process.cwd()}. Run fairlead in the folder of a project.`,
    );
  }
  return readManifestAt('package.json');
}

/** @throws {UsageError} When the nearest package.json above a path is not one that Node.js can read. */
export function checkManifest(path: string): void {
  const folder = projectOf(path);
  if (folder !== undefined) readManifestAt(join(folder, 'package.json'));
}

/**
 * Reads a package.json.
 *
 * @throws {UsageError} When it is not one that Node.js can read.
 */
export function readManifestAt(file: string): {
  readonly text: string;
  readonly manifest: Manifest;
} {
  const text = readText(file);
  return { text, manifest: parseManifest(describeFile(resolve(file)), text) };
}

/**
 * Reads a configuration file. Leaves out a byte order mark, which editors on Windows write, and Node.js ignores.
 *
 * @throws {UsageError} When it cannot be read.
 */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const name = describeFile(resolve(file));
    throw new UsageError(`Cannot read ${name}: ${(error as Error).message}. Replace it.`);
  }
}

/** The members of a package.json that are objects of texts. */
const LISTS = [
  'scripts',
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
];

/** @throws {UsageError} When a text is no package.json. */
function parseManifest(name: string, text: string): Manifest {
  const manifest = parseJson(name, text);
  for (const list of LISTS) {
    const { [list]: value = {} } = manifest;
    if (!isPlainObject(value)) {
      throw new UsageError(`Cannot read ${name}: ${list} is not an object. Correct it.`);
    }
    for (const [key, one] of Object.entries(value)) {
      if (typeof one === 'string') continue;
      throw new UsageError(`Cannot read ${name}: ${key} of ${list} is not a text. Correct it.`);
    }
  }
  return manifest;
}

/**
 * Parses a configuration file.
 *
 * @param name - Names the file in messages.
 * @throws {UsageError} When a text is not JSON, or no object.
 */
export function parseJson(name: string, text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(
      `Cannot read ${name}: it is not JSON: ${describeJsonError(error, text)}. Correct it.`,
    );
  }
  if (isPlainObject(value)) return { ...value };
  throw new UsageError(`Cannot read ${name}: it is not an object. Correct it.`);
}

/** Returns the message of an error of `JSON.parse()`, with the line. */
export function describeJsonError(error: unknown, text: string): string {
  const conflict = text.split('\n').findIndex((line) => /^(?:<{7}|={7}|>{7})/.test(line));
  if (conflict >= 0) return `line ${conflict + 1} is a merge conflict`;
  const message = escapeLine(error instanceof Error ? error.message : String(error));
  // Without a position, the text ends too early, or the message quotes what is wrong.
  if (!/end of JSON input/.test(message)) return message.replace(/\.$/, '');
  return `${message} (line ${text.split('\n').length})`;
}

/** The nearest folder above a path that has a package.json; undefined without one. */
export function projectOf(path: string): string | undefined {
  const folder = dirname(path);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return folder === path ? undefined : projectOf(folder);
}

/** Returns the names of the packages of Fairlead that a project depends on. */
export function fairleadPackages({ dependencies, devDependencies }: Manifest): readonly string[] {
  return Object.keys({ ...dependencies, ...devDependencies })
    .filter(isFairlead)
    .sort();
}

export function isFairlead(name: string): boolean {
  return name === 'fairlead' || name.startsWith('@fairlead/');
}

/** The folder of the sources: `src`, or else the working directory. */
export function sourceFolder(): string {
  return existsSync('src') ? 'src' : '.';
}

/**
 * Reads the TypeScript and JavaScript files of a folder, except tests, build output, and hidden files, such as the links
 * to nothing by which Emacs locks what it edits.
 */
export function readSources(folder = sourceFolder()): readonly SourceFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isOther = /^(?:\.|node_modules$|dist$|tests?$|coverage$)/.test(entry.name);
      return isOther ? [] : readSources(path);
    }
    const isSource = /^(?!\.).*(?<!\.d|\.test|\.spec|\.config)\.m?[jt]s$/.test(entry.name);
    return isSource ? [{ path, text: readFileSync(path, 'utf8') }] : [];
  });
}

/** Matches a line that starts with a decorator. */
export const DECORATOR = /^[ \t]*@[A-Za-z_$]\w*\(/m;

/** Whether a script of package.json runs TypeScript on Node.js without a loader. */
export function runsTypeScript(script: string): boolean {
  return /\bnode\b.*\.ts\b/.test(script) && !/--import|--loader/.test(script);
}
