import { mergeConfig } from 'vitest/config';
import config from './vitest.config.js';

export default mergeConfig(config, {
  test: {
    globalSetup: 'test/support/packages.ts',
    provide: { compilers: ['typescript'], nodeVersions: ['22.18.0'] },
    // Installations and restarts leave most of a core unused.
    maxWorkers: 3,
    // High limits for slow machines. No test waits for them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
