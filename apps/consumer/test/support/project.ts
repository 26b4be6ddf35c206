import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The folder of this workspace package. */
export const here = resolve(import.meta.dirname, '../..');

/** The root of the workspace. */
export const workspace = resolve(here, '../..');

/** Runs a command in a folder. Rejects with its output when it fails. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  options: { readonly env?: NodeJS.ProcessEnv; readonly timeout?: number } = {},
) {
  // The commands of pnpm set NODE_PATH, with which a project would find the packages of the workspace.
  const env = { ...(options.env ?? process.env), NODE_PATH: undefined };
  return execute(command, args, { cwd, timeout: 280_000, ...options, env });
}

/** The warning that Node.js 22 prints for each thread that imports node:sqlite. */
const SQLITE_WARNING =
  /^\(node:\d+\) ExperimentalWarning: SQLite is an experimental feature .*\n\(Use `node --trace-warnings .*\n/gm;

/** Removes that warning from what a process has printed to standard error. */
export function withoutSqliteWarning(stderr: string): string {
  return process.versions.node.startsWith('22.') ? stderr.replace(SQLITE_WARNING, '') : stderr;
}

/** Runs a compiler of the workspace in a project. */
export function runTsc(compiler: string, args: readonly string[], project: string) {
  return run(process.execPath, [join(here, 'node_modules', compiler, 'bin/tsc'), ...args], project);
}

/** Creates an empty project outside the workspace. */
export async function createProject(project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  await cp(join(here, 'fixtures/tsconfig.json'), join(project, 'tsconfig.json'));
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
}

/** The name of the package that a tarball contains. */
function packageIn(tarball: string): string {
  const name = basename(tarball).replace(/-\d+\.\d+\.\d+\.tgz$/, '');
  return name.replace(/^fairlead-/, '@fairlead/');
}

/** Installs tarballs and packages, and the types of Node.js, into a project as npm would. */
export async function install(project: string, dependencies: readonly string[]): Promise<void> {
  const tarballs = dependencies.filter((dependency) => dependency.endsWith('.tgz'));
  await add(project, ['@types/node@22.20.5', ...dependencies], tarballs);
}

/**
 * Adds packages to a project as `npm install` would: flat, with their peers. pnpm needs a tenth of the time.
 *
 * @param args - Packages, and options that both know, such as `--save-dev`.
 * @param tarballs - Those of all packages of the repository that these may depend on, which are in no registry.
 */
export async function add(
  project: string,
  args: readonly string[],
  tarballs: readonly string[],
): Promise<void> {
  const settings = {
    nodeLinker: 'hoisted',
    strictPeerDependencies: true,
    dangerouslyAllowAllBuilds: true,
    overrides: Object.fromEntries(tarballs.map((file) => [packageIn(file), `file:${file}`])),
  };
  await writeFile(join(project, 'pnpm-workspace.yaml'), JSON.stringify(settings));
  await run('pnpm', ['add', '--prefer-offline', ...args], project);
}

/** Names a library to install, in the version that this workspace package has. */
export async function installedVersion(name: string): Promise<string> {
  const manifest = await readFile(join(here, 'node_modules', name, 'package.json'), 'utf8');
  return `${name}@${JSON.parse(manifest).version}`;
}
