import { defineConfig } from 'vitest/config';

// Work whose growth is timed is looked at in the long run only: a busy machine would fail it.
const long = process.env.FUZZ_CASES === undefined ? [] : ['test/**/*.long.ts'];

export default defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'import', 'module', 'default'] } },
  test: {
    // Loaded machines are slow; no test waits for this.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', ...long],
    typecheck: { enabled: true, include: ['**/*.test-d.ts'] },
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
});
