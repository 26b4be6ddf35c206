/** Runs the tests of a checkout with our vitest, and gives them our adapters. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { defineConfig } from 'vitest/config';

const { SUITE_ROOT = '', SUITE_REDIRECTS = '{}', SUITE_FILES = '[]' } = process.env;
const redirects = new Map<string, string>(Object.entries(JSON.parse(SUITE_REDIRECTS)));

export default defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'default'] } },
  // It would read the configuration of the checkout, which may depend on packages that are not installed.
  oxc: false,
  plugins: [
    {
      name: 'typescript',
      transform: {
        filter: { id: /\.ts$/ },
        handler: (code: string) =>
          transpileModule(code, {
            compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
          }).outputText,
      },
    },
    {
      name: 'redirect',
      enforce: 'pre',
      async resolveId(source, importer = '') {
        if (source === 'vitest')
          return join(
            createRequire(import.meta.url).resolve('vitest/package.json'),
            '../dist/index.js',
          );
        if (!importer.startsWith(SUITE_ROOT)) return undefined;
        const resolved = await this.resolve(source, importer, { skipSelf: true });
        const adapter =
          redirects.get(source) ?? redirects.get(pathToFileURL(resolved?.id ?? '').href);
        return adapter === undefined ? undefined : fileURLToPath(adapter);
      },
    },
  ],
  test: {
    include: JSON.parse(SUITE_FILES),
    reporters: ['default', fileURLToPath(new URL('reporters/vitest.ts', import.meta.url))],
    maxWorkers: 1,
    cache: false,
  },
});
