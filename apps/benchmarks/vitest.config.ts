import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // For slow, busy machines. No test waits for this.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    globalSetup: 'test/compile.ts',
    isolate: false,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Fails a test that ends without an assertion, such as one in a callback that never ran.
    expect: { requireAssertions: true },
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/vitest.json' },
  },
});
