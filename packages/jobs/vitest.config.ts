export { testConfig as default } from '@fairlead/test-support/vitest-config';
