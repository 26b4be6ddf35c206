import { testConfig } from '@fairlead/test-support/vitest-config';

export default testConfig;
