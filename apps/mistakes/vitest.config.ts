import { testConfig } from '@fairlead/test-support/vitest-config';

/** Both tests write files into one directory. */
const config: typeof testConfig = {
  ...testConfig,
  test: { ...testConfig.test, fileParallelism: false },
};

export default config;
