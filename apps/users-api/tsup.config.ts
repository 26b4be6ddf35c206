import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/**/*.ts', '!src/**/*.test.ts'],
  format: 'esm',
  target: 'node22',
  bundle: false,
  sourcemap: true,
  clean: true,
});
