import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLAUSE = String.raw`(?:[\w$]+|\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})`;

/** A static import or re-export of a neighbouring file, at the start of a line or statement. */
const DECLARATION = new RegExp(
  String.raw`(?:^|;)[ \t]*(?:import|export)\b(?!\s+type\s+(?!from\b))\s*` +
    String.raw`(?:${CLAUSE}(?:\s*,\s*${CLAUSE})?\s*from\s*)?` +
    String.raw`(['"])(?<specifier>(?:\.{1,2}\/|file:)[^'"]+)\1`,
  'gm',
);

/**
 * Says which files import which, by their text, before any of them is imported. It follows relative
 * and `file:` specifiers of static declarations, and takes a declaration that stands at the start of
 * a line within a block comment for one. It reads synchronously, so that no number of files can use
 * up the file descriptors.
 */
export class ImportGraph {
  readonly #imports = new Map<string, readonly string[]>();

  /**
   * Finds out whether evaluating a file means to wait for one of others.
   *
   * @param file - Absolute path.
   * @param targets - Absolute paths.
   * @returns The first target that the file is, or imports, directly or not; undefined for none.
   */
  findReached(file: string, targets: ReadonlySet<string>): string | undefined {
    if (targets.size === 0) return undefined;
    const seen = new Set([file]);
    for (const path of seen) {
      if (targets.has(path)) return path;
      for (const imported of this.#importsOf(path)) seen.add(imported);
    }
    return undefined;
  }

  #importsOf(path: string): readonly string[] {
    const known = this.#imports.get(path);
    if (known !== undefined) return known;
    const imports = importsIn(readText(path), path);
    this.#imports.set(path, imports);
    return imports;
  }
}

/**
 * Lists the files that a module statically imports or re-exports, as far as they exist.
 *
 * @param text - Source of the module, JavaScript or TypeScript.
 * @param path - Absolute path of the module.
 */
export function importsIn(text: string, path: string): readonly string[] {
  const specifiers = [...text.matchAll(DECLARATION)].flatMap(
    ({ groups }) => groups?.specifier ?? [],
  );
  return specifiers.flatMap((specifier) => candidates(specifier, path).find(isFile) ?? []);
}

/** Paths that a specifier may stand for, under node or under a TypeScript loader. */
function candidates(specifier: string, importer: string): string[] {
  const bare = specifier.replace(/[?#].*$/, '');
  const path = bare.startsWith('file:') ? fileURLToPath(bare) : resolve(dirname(importer), bare);
  return [path, path.replace(/js$/, 'ts'), `${path}.ts`, `${path}.js`, resolve(path, 'index.ts')];
}

/** What cannot be read imports nothing; node reports it when it imports the file. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
