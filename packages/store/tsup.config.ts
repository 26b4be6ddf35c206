import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig({
  // openSqlite() starts a thread that runs dist/writer-worker.js.
  entry: ['src/index.ts', 'src/writer-worker.ts'],
  dts: { entry: 'src/index.ts' },
  // node:sqlite has no name without the protocol.
  removeNodeProtocol: false,
});
