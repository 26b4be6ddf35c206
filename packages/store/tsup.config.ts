import { buildConfig } from '@fairlead/test-support/tsup-config';

export default buildConfig({
  // node:sqlite has no name without the protocol.
  removeNodeProtocol: false,
  esbuildPlugins: [
    {
      name: 'writer-script',
      setup({ esbuild, onLoad }) {
        onLoad({ filter: /[\\/]writer-script\.ts$/ }, async ({ path }) => {
          const { outputFiles } = await esbuild.build({
            entryPoints: [path.replace('-script.ts', '-worker.ts')],
            bundle: true,
            write: false,
            platform: 'node',
            target: 'node22',
            // Code that a thread evaluates is CommonJS.
            format: 'cjs',
          });
          const [{ text } = { text: '' }] = outputFiles;
          return {
            contents: `export const writerScript = () => ({ script: ${JSON.stringify(text)}, eval: true });`,
          };
        });
      },
    },
  ],
});
