import type { testConfig } from '@fairlead/test-support/vitest-config';
import config from './vitest.long.config.js';

/** What the gate omits, and the tests of stores in conditions that it omits. */
const extraConfig: typeof testConfig = {
  ...config,
  test: {
    ...config.test,
    provide: { stores: ['postgres, conflicting', 'postgres, serializable'] },
    include: [
      '{src,test}/**/*.extra.test.ts',
      'test/{api-errors,api-list,api-users,conditional,content-negotiation,user-store*}.test.ts',
    ],
  },
};

export default extraConfig;
