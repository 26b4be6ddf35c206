import { testConfig } from '@fairlead/test-support/vitest-config';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  // Keeps `using`: compiled, it leaves the decorators of its module as they are.
  oxc: { target: 'esnext' },
  // Otherwise vitest loads graphql in its development build, and node loads the other one for this package.
  test: { server: { deps: { inline: ['graphql-http'] } } },
});
