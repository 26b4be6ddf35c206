import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  test: {
    include: ['test/release.rehearsal.ts'],
    // High limits for slow machines. No test waits for them.
    testTimeout: 600_000,
    hookTimeout: 1_800_000,
  },
});
