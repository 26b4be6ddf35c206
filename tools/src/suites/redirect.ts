/**
 * Gives the test files of a checkout our adapters in place of the modules that they test, and runs our packages from
 * source. Each process of a suite loads it.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

const { SUITE_ROOT = '', SUITE_REDIRECTS = '{}' } = process.env;
const redirects = new Map<string, string>(Object.entries(JSON.parse(SUITE_REDIRECTS)));
const workspace = new URL('../../../', import.meta.url).href;
const root = pathToFileURL(`${SUITE_ROOT}/`).href;

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const isOurs = parentURL.startsWith(workspace) && !parentURL.includes('/node_modules/');
    if (isOurs && /^\..*\.js$/.test(specifier)) {
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
    // Dependencies get the modules themselves.
    if (!parentURL.startsWith(root) || parentURL.includes('/node_modules/')) {
      return next(specifier, context);
    }
    // The file may not exist, because its TypeScript does.
    const path = specifier.startsWith('.') ? new URL(specifier, parentURL).href : specifier;
    const adapter = redirects.get(path) ?? redirects.get(next(specifier, context).url);
    // `next()` would not find a URL for `require()`.
    return adapter === undefined
      ? next(specifier, context)
      : { url: adapter, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const isOurs = url.startsWith(workspace) && !url.includes('/node_modules/');
    if (!isOurs || !url.endsWith('.ts')) return next(url, context);
    // Node.js only strips types, and our packages have parameter properties.
    const { outputText: source } = transpileModule(readFileSync(fileURLToPath(url), 'utf8'), {
      compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
    });
    return { format: 'module', source, shortCircuit: true };
  },
});
