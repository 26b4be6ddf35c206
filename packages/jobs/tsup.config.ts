import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig({
  entry: ['src/index.ts', 'src/pg-boss.ts', 'src/store.ts', 'src/webhooks.ts'],
});
