import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/**/*.ts', '!src/**/*.test.ts'],
  format: 'esm',
  target: 'node22',
  bundle: false,
  sourcemap: true,
  clean: true,
  // tsup keeps names where it emits decorator metadata: a call for every function that a request makes.
  esbuildPlugins: [
    {
      name: 'drop-keep-names',
      setup({ initialOptions }) {
        initialOptions.keepNames = false;
      },
    },
  ],
});
