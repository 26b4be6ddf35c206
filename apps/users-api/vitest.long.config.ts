import { testConfig } from '@fairlead/test-support/vitest-config';

/** The long tests, and with SQLite and PostgreSQL those that run with every store. */
const config: typeof testConfig = {
  ...testConfig,
  test: {
    ...testConfig.test,
    maxWorkers: 2,
    globalSetup: 'test/support/postgres-server.ts',
    provide: { stores: ['sqlite', 'postgres'], variants: ['functional'] },
    include: [
      '{src,test}/**/*.{long,extra}.test.ts',
      'test/{api-errors,api-list,api-users,conditional,content-negotiation,user-store*}.test.ts',
    ],
  },
};

export default config;
