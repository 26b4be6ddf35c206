import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Each test creates a database, which takes seconds on a busy machine.
  test: { globalSetup: 'test/setup.ts', testTimeout: 30_000, hookTimeout: 30_000 },
});
