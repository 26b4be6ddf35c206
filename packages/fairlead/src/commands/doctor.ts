import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describeFile, explainOneCopy } from '@fairlead/options';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { print, printJson, style } from '../output.js';
import {
  DECORATOR,
  fairleadPackages,
  isFairlead,
  type Manifest,
  readManifest,
  readManifestAt,
  readSources,
  runsTypeScript,
} from '../project.js';
import { readTsconfig, type Tsconfig } from '../tsconfig.js';

/** What is checked, and what is wrong. */
interface Check {
  readonly name: string;
  /** What cannot work, and its fix. */
  readonly problems: readonly string[];
  /** What may be wrong, and its fix. */
  readonly warnings: readonly string[];
}

/** An installed package. */
interface Installed {
  readonly name: string;
  /** Real path of its folder. */
  readonly folder: string;
  readonly manifest: Manifest;
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('find what is wrong with the installation and the configuration')
    .description(
      'Checks versions, copies and peers of packages, compiler options and loaders, without running the application.',
    )
    .option('--json', 'print an array of { name, problems, warnings }')
    .action(({ json }: { json?: true }) => {
      const checks = examine();
      if (checks.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
      if (json) printJson(checks);
      else for (const check of checks) print(format(check));
    });
}

function format({ name, problems, warnings }: Check): string {
  const lines = [
    ...problems.map((problem) => `${style('red', 'problem')}  ${name}: ${problem}`),
    ...warnings.map((warning) => `${style('yellow', 'warning')}  ${name}: ${warning}`),
  ];
  return lines.length === 0 ? `${style('green', 'ok')}       ${name}` : lines.join('\n');
}

function examine(): readonly Check[] {
  const { manifest } = readManifest();
  const installed = fairleadPackages(manifest).flatMap(
    (name) => find(name, resolve('package.json')) ?? [],
  );
  const all = withDependencies(installed);
  const problemsByName = {
    'Node.js': checkNode(),
    packages: checkPackages(manifest, installed),
    versions: checkVersions(all),
    copies: checkCopies(all),
    peers: checkPeers(all),
  };
  return [
    ...Object.entries(problemsByName).map(([name, problems]) => ({ name, problems, warnings: [] })),
    { name: 'compiler options', ...checkCompiler(manifest) },
  ];
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Whether Node.js is older than the packages support. */
export const isNodeTooOld = major < 22 || (major === 22 && minor < 16);

function checkNode(): readonly string[] {
  if (!isNodeTooOld && major !== 23) return [];
  return [`${process.version} is not supported. Install Node.js 22.16 or newer, or 24.`];
}

function checkPackages(manifest: Manifest, installed: readonly Installed[]): readonly string[] {
  const names = fairleadPackages(manifest);
  if (names.length === 0) {
    return ['package.json has no @fairlead packages. Run npm install @fairlead/core.'];
  }
  return names
    .filter((name) => installed.every((one) => one.name !== name))
    .map((name) => `${name} is not installed. Run the install command of your package manager.`);
}

/** What Yarn's Plug'n'Play knows about packages, which are not in `node_modules`. */
interface PnpApi {
  /** Returns the folder of a package. Throws when the importing one does not depend on it. */
  resolveToUnqualified(name: string, importer: string): string | null;
}

/** Finds a package as a module of another one does. */
function find(name: string, from: string): Installed | undefined {
  const folder = 'pnp' in process.versions ? findInPnp(name, from) : findInModules(name, from);
  if (folder === undefined) return undefined;
  return { name, folder, manifest: readManifestAt(join(folder, 'package.json')).manifest };
}

function findInPnp(name: string, from: string): string | undefined {
  const api: PnpApi = createRequire(from)('pnpapi');
  try {
    return api.resolveToUnqualified(name, from) ?? undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/** Unlike `require()`, `import()` ignores `NODE_PATH`. */
function findInModules(name: string, from: string): string | undefined {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    try {
      return dirname(realpathSync(join(folder, 'node_modules', name, 'package.json')));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Adds the packages of Fairlead that these need. Each copy is listed once. */
function withDependencies(installed: readonly Installed[]): readonly Installed[] {
  const all = new Map<string, Installed>();
  const queue = [...installed];
  for (const one of queue) {
    if (all.has(one.folder)) continue;
    all.set(one.folder, one);
    const { dependencies, peerDependencies } = one.manifest;
    const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter(isFairlead);
    queue.push(...needed.flatMap((name) => find(name, join(one.folder, 'package.json')) ?? []));
  }
  return [...all.values()];
}

/** Does what `Map.groupBy` does, which Node.js has only since version 21. */
function groupBy(
  all: readonly Installed[],
  keyOf: (one: Installed) => string,
): ReadonlyMap<string, readonly Installed[]> {
  const groups = new Map<string, readonly Installed[]>();
  for (const one of all) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

function checkVersions(all: readonly Installed[]): readonly string[] {
  const byVersion = groupBy(all, ({ manifest }) => manifest.version ?? 'unknown');
  if (byVersion.size < 2) return [];
  const list = [...byVersion].map(
    ([version, ones]) => `${version} (${[...new Set(ones.map(({ name }) => name))].join(', ')})`,
  );
  return [`the packages have different versions: ${list.join(' and ')}. Run npx fairlead upgrade.`];
}

function checkCopies(all: readonly Installed[]): readonly string[] {
  return [...groupBy(all, ({ name }) => name)]
    .filter(([, copies]) => copies.length > 1)
    .map(([name, copies]) => {
      const folders = copies.map(({ folder }) => describeFile(folder)).join(' and ');
      return `${name} is installed more than once: ${folders}. To fix it, ${explainOneCopy(name)}`;
    });
}

function checkPeers(all: readonly Installed[]): readonly string[] {
  return all.flatMap(({ name, folder, manifest }) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    return Object.keys(peerDependencies)
      .filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
      .filter((peer) => find(peer, join(folder, 'package.json')) === undefined)
      .map((peer) => `${name} needs ${peer}, which is not installed. Run npm install ${peer}.`);
  });
}

/** Checks the options that compile and run decorators, if the project has some. */
function checkCompiler({ scripts = {} }: Manifest): Pick<Check, 'problems' | 'warnings'> {
  let tsconfig: Tsconfig;
  try {
    tsconfig = readTsconfig();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: [error.message], warnings: [] };
  }
  const { path: tsconfigPath, options } = tsconfig;
  const file = tsconfigPath === undefined ? 'tsconfig.json' : describeFile(tsconfigPath);
  const problems: string[] = [];
  const warnings: string[] = [];
  const resolution = String(options.moduleResolution ?? '').toLowerCase();
  if (['node', 'node10', 'classic'].includes(resolution)) {
    problems.push(
      `${file} sets moduleResolution to ${resolution}, which finds no modules such as @fairlead/core/extend. Set module and moduleResolution to NodeNext.`,
    );
  }
  const decorated = readSources().find(
    ({ path, text }) => path.endsWith('ts') && DECORATOR.test(text),
  );
  if (decorated === undefined) return { problems, warnings };
  const { path } = decorated;
  if (options.experimentalDecorators !== true) {
    problems.push(
      tsconfigPath === undefined
        ? `${path} has decorators, but there is no tsconfig.json. Create one that sets experimentalDecorators and emitDecoratorMetadata to true.`
        : `${path} has decorators, but ${file} does not set experimentalDecorators. Set it to true.`,
    );
  }
  if (tsconfigPath !== undefined && options.emitDecoratorMetadata !== true) {
    warnings.push(
      `${file} does not set emitDecoratorMetadata, so ${NO_TYPES}. Set it to true, or write static inject.`,
    );
  }
  for (const [name, script] of Object.entries(scripts)) {
    const [, tool] = /\b(tsx|esbuild)\b/.exec(script) ?? [];
    if (tool !== undefined) {
      warnings.push(
        `the script ${name} runs ${tool}, which emits no types, so ${NO_TYPES}. Use node --import @oxc-node/core/register, or write static inject.`,
      );
    } else if (runsTypeScript(script)) {
      problems.push(
        `the script ${name} runs TypeScript, but Node.js cannot run the decorators in ${path}. Add --import @oxc-node/core/register.`,
      );
    }
  }
  return { problems, warnings };
}

const NO_TYPES = 'classes cannot be injected by their types';
