import { defineConfig } from 'tsup';

export default defineConfig({
  // openSqlite() starts a thread that runs dist/writer-worker.js.
  entry: ['src/index.ts', 'src/writer-worker.ts'],
  tsconfig: 'tsconfig.build.json',
  format: 'esm',
  target: 'node22',
  dts: { entry: 'src/index.ts' },
  sourcemap: true,
  clean: true,
  // node:sqlite has no name without the protocol.
  removeNodeProtocol: false,
});
