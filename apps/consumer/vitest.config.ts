import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  // Keeps `using`: compiled, it leaves the decorators of its module as they are.
  oxc: { target: 'esnext' },
});
