import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Runs the tests of a package from the source of all packages. */
export const testConfig: ViteUserConfig = defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'default'] } },
  test: {
    // High limits for slow machines. No test waits for them.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Fails a test that ends without an assertion, such as one in a callback that never ran.
    expect: { poll: { timeout: 60_000 }, requireAssertions: true },
    // Restores spies before each test, even when the test before it has failed.
    restoreMocks: true,
    setupFiles: fileURLToPath(new URL('random-seed.ts', import.meta.url)),
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Starting a process for each file takes longer than most files.
    isolate: false,
    // A second process loads everything again. The tests of several packages run concurrently.
    maxWorkers: 1,
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/vitest.json' },
  },
});

/** Runs the tests of a package that need Chromium. */
export const browserConfig: ViteUserConfig = {
  ...testConfig,
  test: {
    ...testConfig.test,
    include: ['test/**/*.browser.ts'],
    reporters: ['default'],
    // One test visits every page of the site. No test waits for this limit.
    testTimeout: 900_000,
  },
};
