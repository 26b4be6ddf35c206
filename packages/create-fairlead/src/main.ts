#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { inspect } from 'node:util';
import { type Answers, ask, CancelledError } from './ask.js';
import { type CommandLine, parseCommandLine, USAGE, UsageError } from './command-line.js';
import { print, printError } from './output.js';
import { checkDirectory, createProject, readVersion } from './project.js';
import { FIRST_PATHS, TEMPLATES } from './templates.js';

/** Exit codes. */
const [FAILED, INVALID_USAGE, CANCELLED] = [1, 2, 130];

try {
  const commandLine = parseCommandLine(process.argv.slice(2), process.env.npm_config_user_agent);
  if (commandLine.help) print(USAGE);
  else if (commandLine.version) print(await readVersion());
  else await create(commandLine);
} catch (error) {
  process.exitCode = reportFailure(error);
}

async function create(commandLine: CommandLine): Promise<void> {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 16)) {
    throw new UsageError(`Fairlead needs Node.js 22.16 or newer: this is ${node}.`);
  }
  const { directory, ...choice } = await complete(commandLine);
  const { packageManager, isYarn1, install, git } = commandLine;
  const files = await createProject({ directory, choice, packageManager, isYarn1 });
  print(`Created ${directory} from the template ${choice.template}:\n${listFiles(files)}\n`);
  if (git) initializeRepository(directory);
  const isInstalled = install && installDependencies(directory, packageManager);
  const path = relative(process.cwd(), resolve(directory));
  const steps = [
    ...(path === '' ? [] : [`cd ${/^[\w./\\:-]+$/.test(path) ? path : `"${path}"`}`]),
    ...(isInstalled ? [] : [`${packageManager} install`]),
    ...(files.includes('compose.yaml') ? ['docker compose up --detach --wait'] : []),
    `${packageManager} run dev`,
    `${packageManager} run test`,
  ];
  print(`Next steps:\n${steps.map((step) => `  ${step}`).join('\n')}\n`);
  const url = `http://localhost:8080${FIRST_PATHS[choice.template]}`;
  print(`${packageManager} run dev serves ${url} until you press Ctrl+C.`);
}

/** Returns a line for each folder, with its files. */
function listFiles(files: readonly string[]): string {
  const folders = Map.groupBy(files, (file) => join(dirname(file), '/'));
  const width = Math.max(...[...folders.keys()].map((folder) => folder.length));
  return [...folders]
    .map(
      ([folder, paths]) =>
        `  ${folder.padEnd(width)}  ${paths.map((path) => basename(path)).join('  ')}`,
    )
    .join('\n');
}

/** Returns the folder and the template, which it asks for in a terminal. */
async function complete(commandLine: CommandLine): Promise<Answers> {
  const { directory, template, database, auth, jobs } = commandLine;
  const choice = template && { template, database, auth, jobs };
  if (directory !== undefined) await checkDirectory(directory, choice);
  if (directory !== undefined && choice !== undefined) return { directory, ...choice };
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return ask({ directory, ...choice }, { input: process.stdin, output: process.stdout });
  }
  const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const missing = [
    ...(directory === undefined ? ['a folder'] : []),
    ...(template === undefined ? [`--template ${anyOf.format(Object.keys(TEMPLATES))}`] : []),
  ];
  throw new UsageError(
    `Cannot ask questions: this is not a terminal. Pass ${missing.join(' and ')}, as in: npm create fairlead@latest my-app -- --template minimal`,
  );
}

/** Creates a repository, unless the folder is in one. */
function initializeRepository(directory: string): void {
  const options = { cwd: directory, encoding: 'utf8' } as const;
  if (spawnSync('git', ['rev-parse', '--is-inside-work-tree'], options).status === 0) return;
  const { error, status, stderr } = spawnSync('git', ['init', '--quiet'], options);
  if (status !== 0) printError(`No git repository was created: ${error?.message ?? stderr.trim()}`);
}

/** Returns whether the package manager succeeded. If not, the process will exit with 1. */
function installDependencies(directory: string, packageManager: string): boolean {
  // On Windows, package managers are .cmd files, which need a shell.
  const options = { cwd: directory, stdio: 'inherit', shell: true } as const;
  const { error, signal, status } = spawnSync(`${packageManager} install`, options);
  if (status === 0) return true;
  const reason = error?.message ?? `it exited with ${status ?? signal}`;
  printError(`The project exists, but '${packageManager} install' failed: ${reason}.`);
  process.exitCode = FAILED;
  return false;
}

/** Prints an error. Returns the exit code. */
function reportFailure(error: unknown): number {
  if (error instanceof CancelledError) {
    printError(`\n${error.message}`);
    return CANCELLED;
  }
  if (error instanceof UsageError) {
    printError(`create-fairlead: ${error.message}`);
    return INVALID_USAGE;
  }
  if (isSystemError(error)) {
    printError(
      `create-fairlead: Cannot write the project: ${error.message}. Delete what was written, and choose a folder that you can write to.`,
    );
  } else printError(inspect(error));
  return FAILED;
}

/** Whether an error is one of the operating system, whose message names the operation and the path. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
