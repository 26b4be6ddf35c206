import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** How the tests of a package run: from source, the other packages too. */
export const testConfig: ViteUserConfig = defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'default'] } },
  test: {
    // Loaded machines are slow; no test waits for this.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['**/*.test-d.ts'] },
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
});
