import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@fairlead/source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['**/*.test-d.ts'] },
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
});
