import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.long.config.js';

/** What the gate omits, and the tests of the gate that depend on versions, with those that it omits. */
const { test, ...others } = config;

export default mergeConfig(
  { ...others, test: { ...test, provide: {} } },
  defineConfig({
    test: {
      include: ['test/*.extra.test.ts', 'test/{create,install,page}.long.test.ts'],
      provide: { compilers: ['typescript-6'], nodeVersions: ['24', '26'] },
    },
  }),
);
