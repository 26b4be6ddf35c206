import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig({
  entry: ['src/index.ts', 'src/extend.ts', 'src/versions.ts'],
  tsconfig: 'tsconfig.build.json',
});
