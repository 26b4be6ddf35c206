import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'default'] } },
  test: {
    // Loaded machines are slow; no test waits for this.
    globalSetup: 'test/support/postgres-server.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['**/*.test-d.ts'] },
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
});
