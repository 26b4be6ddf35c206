import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** Ignored by git, and inside the package, where imports resolve as usual. */
const REPORTS = fileURLToPath(new URL('../../reports/', import.meta.url));

/** The package's tsconfig.json excludes `reports`. */
const TSCONFIG = JSON.stringify({ extends: '../../tsconfig.json', include: ['.'] });

/**
 * Writes a directory that exists until the test ends.
 *
 * @param files - Source by path.
 * @returns The directory's real path.
 */
export async function writeTree(files: Readonly<Record<string, string>>): Promise<string> {
  await mkdir(REPORTS, { recursive: true });
  const root = await realpath(await mkdtemp(join(REPORTS, 'tree-')));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [path, text] of Object.entries({ ...files, 'tsconfig.json': TSCONFIG })) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return root;
}

/** Source of a file that exports a controller with one route. */
export function controllerSource(name: string, path = `/${name}`, up = '../..'): string {
  return `
    import { Controller, Get } from '${up}/src/index.js';
    @Controller()
    export class ${name} {
      @Get('${path}')
      read() { return '${name}'; }
    }
  `;
}
