import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  test: {
    maxWorkers: 2,
    provide: { stores: ['memory'], variants: ['functional', 'class', 'value'] },
  },
});
