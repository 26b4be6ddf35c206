import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/redis.ts'],
  tsconfig: 'tsconfig.build.json',
  format: 'esm',
  target: 'node22',
  dts: true,
  sourcemap: true,
  clean: true,
});
