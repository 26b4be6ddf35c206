import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'tsup';

const BUNDLE = new URL('../../reports/bundle/', import.meta.url);

/**
 * Builds this package, core and di into one module, which programs import as `#fairlead`. Runs once for all
 * test files.
 */
export default async function buildBundle(): Promise<void> {
  await mkdir(BUNDLE, { recursive: true });
  const entry = fileURLToPath(new URL('fairlead.ts', BUNDLE));
  const modules = ['../../src/index.js', '@fairlead/core', '@fairlead/di'];
  await writeFile(entry, modules.map((name) => `export * from '${name}';\n`).join(''));
  await build({
    entry: [entry],
    outDir: fileURLToPath(BUNDLE),
    format: 'esm',
    config: false,
    silent: true,
    noExternal: [/^@fairlead/],
    esbuildOptions: (options) => {
      options.conditions = ['@fairlead/source'];
    },
  });
}
