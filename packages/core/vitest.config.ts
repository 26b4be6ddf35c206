import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

// Work whose growth is timed is looked at in the long run only: a busy machine would fail it.
const long = process.env.FUZZ_CASES === undefined ? [] : ['test/**/*.long.ts'];

export default mergeConfig(testConfig, { test: { include: long } });
