import { testConfig } from '@fairlead/test-support/vitest-config';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { mergeConfig } from 'vitest/config';

export default mergeConfig(testConfig, {
  // Compiles decorators first, because a compiled `using` leaves those of its module as they are.
  oxc: { target: 'esnext' },
  plugins: [
    {
      name: 'using',
      enforce: 'post',
      // Node.js 22 has no `using`.
      transform: {
        filter: { code: /\busing \w+ =/ },
        handler: (code: string) =>
          transpileModule(code, {
            compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
          }).outputText,
      },
    },
  ],
  // Otherwise vitest loads graphql in its development build, and node loads the other one for this package.
  test: { server: { deps: { inline: ['graphql-http'] } } },
});
