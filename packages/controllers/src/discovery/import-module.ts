import { pathToFileURL } from 'node:url';
import { DiscoveryError } from '../errors/startup-errors.js';

/** Imports modules into the graph of vitest's tests. */
interface VitestRunner {
  import?(url: string): Promise<object>;
}

/** Returns the runner of vitest 4 and newer. */
function vitestRunner(): VitestRunner | undefined {
  const host: { readonly __vitest_mocker__?: { readonly moduleRunner?: VitestRunner } } & object =
    globalThis;
  return host.__vitest_mocker__?.moduleRunner;
}

/**
 * Imports a file. vitest leaves installed packages to Node.js, where `import()` would load a second copy of
 * the tests' modules, without vitest's compiler. So this asks vitest's runner.
 */
export function importModule(file: string): Promise<object> {
  const url = pathToFileURL(file).href;
  return vitestRunner()?.import?.(url) ?? import(url);
}

/** Defined where vitest has compiled this package and its `import()`. */
declare const __vite_ssr_dynamic_import__: unknown;

/**
 * Checks that Node.js has not imported a TypeScript file instead of vitest.
 *
 * @param cause - The error that importing the file threw.
 * @throws {DiscoveryError} 500, with the setting that vitest needs.
 */
export function assertHostImports(file: string, cause: unknown): void {
  const isCompiled = typeof __vite_ssr_dynamic_import__ !== 'undefined';
  const isVitest = '__vitest_worker__' in globalThis;
  if (!isVitest || isCompiled || vitestRunner()?.import || !/ts$/.test(file)) return;
  throw new DiscoveryError(file, {
    problem: `Node.js imported the file instead of vitest, and threw ${String(cause)}`,
    fix: 'add `server: { deps: { inline: [/@fairlead\\//] } }` to `test` in vitest.config.ts.',
    cause,
  });
}
