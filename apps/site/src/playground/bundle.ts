import { METHODS, STATUS_CODES } from 'node:http';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const shims = join(import.meta.dirname, 'shims.ts');

/** Replaces the modules of Node.js by what the playground shows of them. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:|fast-glob$)/ }, ({ path }) => ({ path, namespace: 'shim' }));
    onLoad({ filter: /./, namespace: 'shim' }, async ({ path }) => {
      const names = isBuiltin(path) ? Object.keys(await import(path)) : [];
      const named = names.filter((name) => name !== 'default').join(', ');
      const contents = `import { shimOf } from ${JSON.stringify(shims)};
const members = shimOf('${path}');
export default members;
export const { ${named} } = members;`;
      return { contents, resolveDir: import.meta.dirname };
    });
  },
};

const VIRTUAL = 'virtual:playground-worker';

/** Lets the page import the code of its worker as text. */
export function playgroundWorker() {
  let code: Promise<string> | undefined;
  return {
    name: 'playground-worker',
    resolveId: (id: string) => (id === VIRTUAL ? `\0${VIRTUAL}` : undefined),
    async load(id: string) {
      if (id !== `\0${VIRTUAL}`) return undefined;
      code ??= bundleWorker();
      return `export default ${JSON.stringify(await code)};`;
    },
  };
}

/** Returns the code of the worker that runs the program of a visitor, with the packages that it imports. */
export async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    conditions: ['@fairlead/source'],
    // Messages show the names of functions and classes.
    keepNames: true,
    minify: true,
    define: {
      'import.meta.url': '"file:///fairlead/serve/src/run-process.js"',
      METHODS: JSON.stringify(METHODS),
      STATUS_CODES: JSON.stringify(STATUS_CODES),
    },
    plugins: [withoutNode],
  });
  const [{ text } = { text: '' }] = outputFiles;
  return text;
}
