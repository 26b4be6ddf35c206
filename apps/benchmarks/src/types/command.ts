import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { type CommonOptions, createCommand, parseCount, pick, runComparisons } from '../command.js';
import { integer, mebibytes, quantiles, ratios, titles } from '../report.js';
import { type Compiler, type Completions, measureCompletions } from './language-server.js';
import { CLIENTS, type ClientKind, generateProject, type TypedProject } from './projects.js';

/** The versions of TypeScript to measure with. */
export const COMPILERS: readonly Compiler[] = [
  { name: 'typescript', title: 'TypeScript 5.9', speaksLsp: false },
  { name: 'typescript-6', title: 'TypeScript 6.0', speaksLsp: false },
  { name: 'typescript-7', title: 'TypeScript 7.0', speaksLsp: true },
];

/** Measures type checks of clients. */
export const types = createCommand('types', 'Measure type checks and completions of typed clients')
  .argument('[compiler...]', 'typescript, typescript-6 or typescript-7 (default: all)')
  .option('--controllers <number>', 'controllers with ten routes and one call each', parseCount, 20)
  .option('--rounds <number>', 'checks of each client', parseCount, 5)
  .action(runTypes);

interface TypesOptions extends CommonOptions {
  readonly controllers: number;
  readonly rounds: number;
}

async function runTypes(
  names: readonly string[],
  { controllers, ...options }: TypesOptions,
): Promise<void> {
  const comparisons = pick(COMPILERS, names, 'compiler').map((compiler) => ({
    title: `${compiler.title}, ${controllers * 10} routes and ${controllers} calls`,
    contestants: CLIENTS.map((kind) => () => {
      const project = generateProject(kind, controllers);
      const turn = () => measureTypes(options.node, compiler, kind, project);
      return { title: kind.title, turn };
    }),
  }));
  await runComparisons(options, comparisons, {
    name: ['types', ...names].join('-'),
    title: 'Types of clients',
    columns: (baseline) => [
      titles('Client'),
      quantiles('Instantiations', 'instantiations', integer),
      ratios(`/ ${baseline}`, 'instantiations'),
      quantiles('CPU of the check', 'check', seconds),
      ratios(`/ ${baseline}`, 'check'),
      quantiles('CPU of the compiler', 'cpu', seconds),
      quantiles('Memory, MiB', 'memory', mebibytes),
      quantiles('First completion, CPU', 'first', seconds),
      quantiles('Completion after an edit, CPU', 'edited', seconds),
    ],
  });
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`;

/** What a check of a project takes. Times are in milliseconds, and memory is in bytes. */
export interface CheckedTypes extends Completions {
  readonly instantiations: number;
  /** The CPU time that the compiler needs more than with `--noCheck`. */
  readonly check: number;
  /** The CPU time of the compiler, which also parses. */
  readonly cpu: number;
  readonly memory: number;
}

const { resolve } = createRequire(import.meta.url);

/**
 * Checks a project, and completes a route in an editor.
 *
 * @throws {Error} If the project does not compile.
 */
export async function measureTypes(
  node: string,
  compiler: Compiler,
  kind: ClientKind,
  project: TypedProject,
): Promise<CheckedTypes & Record<string, number | readonly number[]>> {
  const tsc = resolve(`${compiler.name}/package.json`).replace('package.json', 'bin/tsc');
  // The shell tells the CPU time of its children: minutes and seconds of user and system.
  const compile = async (flag: string) => {
    const args = ['-c', '"$@" && times', 'sh', node, tsc, '-p', project.folder, flag];
    const { stdout } = await promisify(execFile)('sh', args).catch((error) => {
      throw new Error(`${compiler.title} rejects ${project.file}:\n${error.stdout}`);
    });
    const [, minutes, rest] = /(\d+)m([\d.]+)s \S+\n$/.exec(stdout) ?? [];
    return { stdout, cpu: (Number(minutes) * 60 + Number(rest)) * 1_000 };
  };
  const { stdout, cpu } = await compile('--extendedDiagnostics');
  const unchecked = await compile('--noCheck');
  const numberOf = (label: string) =>
    Number(new RegExp(`^${label}: +([\\d.]+)`, 'm').exec(stdout)?.[1]);
  return {
    instantiations: numberOf('Instantiations'),
    check: cpu - unchecked.cpu,
    cpu,
    memory: numberOf('Memory used') * 1_024,
    ...(await measureCompletions(node, compiler, project, kind)),
  };
}
