import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  test: {
    globalSetup: 'test/support/packages.ts',
    // Installations and restarts leave most of a core unused.
    maxWorkers: 3,
    // High limits for slow machines. No test waits for them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
