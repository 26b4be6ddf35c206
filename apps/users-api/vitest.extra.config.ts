import type { testConfig } from '@fairlead/test-support/vitest-config';
import config from './vitest.long.config.js';

/** What the gate omits, and the tests of stores in a condition that it omits. */
const extraConfig: typeof testConfig = {
  ...config,
  test: {
    ...config.test,
    provide: { stores: ['postgres, serializable'] },
    include: ['{src,test}/**/*.extra.test.ts', 'test/user-store*.test.ts'],
  },
};

export default extraConfig;
