import type { testConfig } from '@fairlead/test-support/vitest-config';
import config from './vitest.long.config.js';

/** What the gate omits, the variants of the API that it omits, and the stores in conditions that it omits. */
const extraConfig: typeof testConfig = {
  ...config,
  test: {
    ...config.test,
    provide: {
      stores: ['sqlite', 'postgres', 'postgres, conflicting', 'postgres, serializable'],
      variants: ['class', 'value'],
    },
    include: [
      '{src,test}/**/*.extra.test.ts',
      'test/{api-errors,api-list,api-users,conditional,content-negotiation,user-store*}.test.ts',
    ],
  },
};

export default extraConfig;
