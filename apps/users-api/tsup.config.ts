import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/**/*.ts', '!src/**/*.test.ts'],
  format: 'esm',
  target: 'node22',
  bundle: false,
  sourcemap: true,
  clean: true,
  // tsup sets keepNames when it emits decorator metadata. esbuild then adds a call for every function
  // that a request creates.
  esbuildPlugins: [
    {
      name: 'drop-keep-names',
      setup({ initialOptions }) {
        initialOptions.keepNames = false;
      },
    },
  ],
});
