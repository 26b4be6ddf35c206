import type { testConfig } from '@fairlead/test-support/vitest-config';
import config from './vitest.long.config.js';

/** What the gate omits, and the tests that depend on versions, with the versions that it omits. */
const extraConfig: typeof testConfig = {
  ...config,
  test: {
    ...config.test,
    provide: { compilers: ['typescript-6', 'typescript-7'], nodeVersions: ['24', '26'] },
    include: ['test/*.extra.test.ts', 'test/{create,install,page}.long.test.ts'],
  },
};

export default extraConfig;
