import { testConfig } from '@fairlead/test-support/vitest-config';
import type { ViteUserConfig } from 'vitest/config';

/** Runs the tests that need Chromium and the built site. */
const config: ViteUserConfig = {
  ...testConfig,
  test: {
    ...testConfig.test,
    include: ['test/**/*.browser.ts'],
    reporters: ['default'],
    // One test visits every page. No test waits for this limit.
    testTimeout: 900_000,
  },
};

export default config;
