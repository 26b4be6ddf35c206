import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a module with the exports of `packages.ts`. */
    readonly packages: string;
  }
}

/**
 * Compiles the sources of the packages into one file. A program that imports it starts several times
 * faster than one that compiles them itself.
 */
export default async function bundle(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-serve-'));
  // As in an installed package, whose code is two folders below those of other packages.
  const outDir = join(folder, 'serve', 'dist');
  await build({
    config: false,
    entry: [join(import.meta.dirname, 'packages.ts')],
    tsconfig: '../../tsconfig.build.json',
    format: 'esm',
    target: 'node22',
    outDir,
    outExtension: () => ({ js: '.mjs' }),
    noExternal: [/^@fairlead\//],
    esbuildOptions(options) {
      options.conditions = ['@fairlead/source'];
    },
    silent: true,
  });
  project.provide('packages', pathToFileURL(join(outDir, 'packages.mjs')).href);
  return () => rm(folder, { recursive: true, force: true });
}
