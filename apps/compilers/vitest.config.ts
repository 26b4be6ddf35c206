import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // High limits for slow machines. No test waits for them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Fails a test that ends without an assertion, such as one in a callback that never ran.
    expect: { requireAssertions: true },
    reporters: ['default', 'json'],
    outputFile: { json: 'reports/vitest.json' },
  },
});
