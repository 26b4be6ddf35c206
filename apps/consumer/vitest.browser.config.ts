export { browserConfig as default } from '@fairlead/test-support/vitest-config';
