import { testConfig } from '@fairlead/test-support/vitest-config';

/** The long tests, and with PostgreSQL those that run with every store. */
const config: typeof testConfig = {
  ...testConfig,
  test: {
    ...testConfig.test,
    globalSetup: 'test/support/postgres-server.ts',
    provide: { stores: ['postgres', 'postgres, serializable', 'postgres, conflicting'] },
    include: [
      '{src,test}/**/*.{long,extra}.test.ts',
      'test/{api-users,conditional,user-store*}.test.ts',
    ],
  },
};

export default config;
