import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Application, type ProjectReflection, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { API_FOLDER, workspace } from './pages.ts';
import { repository } from './repository.ts';

/** What the API reference needs of a package.json. */
interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly '@fairlead/source'?: string }>>;
}

/** Returns the source files of what users can import, by the name under which they import it. */
function readEntryPoints(): ReadonlyMap<string, string> {
  const entries = globSync('packages/*/package.json', { cwd: workspace }).flatMap((file) => {
    const manifest = JSON.parse(readFileSync(join(workspace, file), 'utf8')) as Manifest;
    if (manifest.private) return [];
    return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
      const source = typeof target === 'object' ? target['@fairlead/source'] : undefined;
      return source === undefined
        ? []
        : [[join(manifest.name, path), join(workspace, dirname(file), source)] as const];
    });
  });
  return new Map(entries.toSorted(([a], [b]) => a.localeCompare(b, 'en')));
}

/** Names each module as users import it. TypeDoc names it by its file, from the folder of the packages. */
function nameModules(
  { children = [] }: ProjectReflection,
  entryPoints: ReadonlyMap<string, string>,
) {
  const packages = join(workspace, 'packages/');
  const names = new Map(
    [...entryPoints].map(([name, file]) => [
      file.slice(packages.length).replace(/(?:\/index)?\.ts$/, ''),
      name,
    ]),
  );
  for (const module of children) {
    const name = names.get(module.name);
    if (name === undefined) throw new Error(`No package exports the module ${module.name}.`);
    module.name = name;
  }
}

const entryPoints = readEntryPoints();
const options: TypeDocOptions & PluginOptions = {
  name: 'API',
  readme: 'none',
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(workspace, 'apps/site/tsconfig.api.json'),
  entryPoints: [...entryPoints.values()],
  out: join(workspace, API_FOLDER),
  router: 'module',
  entryFileName: 'index',
  excludeScopesInPaths: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  // The anchors of headings that repeat, as "Constructor" does, depend on the renderer.
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  groupOrder: ['Functions', 'Variables', 'Classes', '*'],
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
  gitRevision: 'main',
  disableSources: repository === undefined,
  // `pnpm typecheck` checks the types.
  skipErrorChecking: true,
};
const app = await Application.bootstrapWithPlugins(options);
const project = await app.convert();
if (project === undefined) throw new Error('TypeDoc cannot read the packages.');
nameModules(project, entryPoints);
app.validate(project);
await app.generateOutputs(project);
const { errorCount, validationWarningCount } = app.logger;
if (errorCount + validationWarningCount > 0)
  throw new Error('TypeDoc reports problems: see above.');
