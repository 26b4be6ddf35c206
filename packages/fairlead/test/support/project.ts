import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ENVIRONMENT } from '@fairlead/test-support/environment';
import { onTestFinished } from 'vitest';

const PACKAGE = join(import.meta.dirname, '../..');

/** The option that loads TypeScript with decorators. */
export const LOADER = ['--import', '@oxc-node/core/register'];

/** A folder with an application. */
export interface Project {
  readonly folder: string;
  /** Runs the built program in the folder. */
  run(...args: readonly string[]): Promise<Result>;
  /** Runs the program with this standard input. */
  pipe(input: string, ...args: readonly string[]): Promise<Result>;
  /** Starts the program, which runs until it gets a signal, or until the test ends. */
  start(...args: readonly string[]): Running;
}

/** A program that runs. */
interface Running {
  /** Returns the first line of its output that matches, after those that were already read. */
  read(pattern: RegExp): Promise<string>;
  /** Sends a signal. Returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const PACKAGE_JSON = '{ "type": "module" }';

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  },
});

/**
 * Writes a project that can import the packages of this workspace, unless its files include `node_modules`.
 *
 * @param files - Texts by path.
 * @param env - Additional environment variables of the program.
 */
export async function writeProject(
  files: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
): Promise<Project> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-cli-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  const all = { 'package.json': PACKAGE_JSON, 'tsconfig.json': TSCONFIG, ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const hasModules = Object.keys(files).some((path) => path.startsWith('node_modules/'));
  if (!hasModules) await symlink(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    run: (...args) => run(folder, args, env, ''),
    pipe: (input, ...args) => run(folder, args, env, input),
    start: (...args) => start(folder, args, env),
  };
}

async function run(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string,
): Promise<Result> {
  const child = spawnProgram(cwd, args, env);
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const [status, stdout, stderr] = await Promise.all([
    exit,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { status, stdout, stderr };
}

function start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawnProgram(cwd, args, env);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = new PassThrough();
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false });
  void exit.then(() => output.end());
  const lines = createInterface(output)[Symbol.asyncIterator]();
  return {
    async read(pattern) {
      const seen: string[] = [];
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        if (pattern.test(line.value)) return line.value;
        seen.push(line.value);
      }
      throw new Error(`No line matches ${pattern}:\n${seen.join('\n')}`);
    },
    end(signal) {
      child.kill(signal);
      return exit;
    },
  };
}

function spawnProgram(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, [join(PACKAGE, 'dist/main.js'), ...args], {
    cwd,
    // Node.js 22 warns about its support for TypeScript.
    env: {
      ...ENVIRONMENT,
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...env,
    },
    stdio: 'pipe',
  });
}
