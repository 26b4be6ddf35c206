import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file as the graph knows it. */
interface SourceFile {
  readonly path: string;
  readonly text: string;
}

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
 * and `file:` specifiers of static declarations, and takes what it finds in a block comment for one.
 */
export class ImportGraph {
  readonly #imports = new Map<string, Promise<readonly string[]>>();

  /**
   * Finds out whether evaluating a file means to wait for one of others.
   *
   * @param file - Absolute path.
   * @param targets - Absolute paths.
   * @returns The first target that the file is, or imports, directly or not; undefined for none.
   */
  async findReached(file: string, targets: ReadonlySet<string>): Promise<string | undefined> {
    const seen = new Set([file]);
    for (const path of seen) {
      if (targets.has(path)) return path;
      for (const imported of await this.#importsOf(path)) seen.add(imported);
    }
    return undefined;
  }

  #importsOf(path: string): Promise<readonly string[]> {
    const known = this.#imports.get(path);
    if (known !== undefined) return known;
    const imports = readImports(path);
    this.#imports.set(path, imports);
    return imports;
  }
}

async function readImports(path: string): Promise<readonly string[]> {
  const source = await readSource([path]);
  if (source === undefined) return [];
  const specifiers = [...source.text.matchAll(DECLARATION)].flatMap(
    ({ groups }) => groups?.specifier ?? [],
  );
  const files = await Promise.all(
    specifiers.map((specifier) => readSource(candidates(specifier, path))),
  );
  return files.flatMap((file) => file?.path ?? []);
}

/** Paths that a specifier may stand for, under node or under a TypeScript loader. */
function candidates(specifier: string, importer: string): string[] {
  const bare = specifier.replace(/[?#].*$/, '');
  const path = bare.startsWith('file:') ? fileURLToPath(bare) : resolve(dirname(importer), bare);
  return [path, path.replace(/js$/, 'ts'), `${path}.ts`, `${path}.js`, `${path}/index.ts`];
}

/** The first of several paths that is a readable file. */
async function readSource(paths: readonly string[]): Promise<SourceFile | undefined> {
  for (const path of paths) {
    try {
      return { path, text: await readFile(path, 'utf8') };
    } catch {
      // Not this one; that none is there is node's to report, when it imports the file.
    }
  }
  return undefined;
}
