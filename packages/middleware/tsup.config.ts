import { buildConfig } from '@fairlead/test-support/tsup-config';

// Without a chunk for both, an import of the index reads no more files.
export default buildConfig({ entry: ['src/index.ts', 'src/overload.ts'], splitting: false });
