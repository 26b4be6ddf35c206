import { exec } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Observation } from '../../fixtures/observation.js';
import type { Compiler } from './compilers.js';

const execute = promisify(exec);

/** The folder of this workspace package. */
export const here = resolve(import.meta.dirname, '../..');

/** The result of compiling and running a project with one compiler. */
export interface Run {
  readonly compiler: Compiler;
  readonly title: string;
  readonly observations: readonly Observation[];
}

/** Creates a project from the fixtures, and compiles and runs it in child processes. */
export async function runProject(compiler: Compiler): Promise<Run> {
  const project = join(here, 'dist', compiler.dependency.replace('/', '-'));
  await rm(project, { recursive: true, force: true });
  await cp(join(here, 'configs', compiler.config), project, { recursive: true });
  await cp(join(here, 'fixtures'), join(project, 'src'), { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');

  for (const command of [...compiler.compile, ...compiler.run]) {
    await runCommand(command, compiler.dependency, project);
  }

  return {
    compiler,
    title: `${compiler.name} ${await versionOf(compiler.dependency)}`,
    observations: JSON.parse(await readFile(join(project, 'observations.json'), 'utf8')),
  };
}

/**
 * Runs a command line with the tools of this package. The environment contains only `PATH`, so tools
 * cannot detect that they run inside a test.
 *
 * @param dependency - The package whose commands come first, because several versions are installed.
 */
export function runCommand(command: string, dependency: string, cwd: string) {
  const modules = join(here, 'node_modules');
  const path = [join(modules, dependency, 'bin'), join(modules, '.bin'), dirname(process.execPath)];
  const env = { PATH: [...path, process.env.PATH].join(delimiter) };
  return execute(command, { cwd, env, timeout: 280_000 });
}

async function versionOf(dependency: string): Promise<string> {
  const manifest = join(here, 'node_modules', dependency, 'package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return version;
}
