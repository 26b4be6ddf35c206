import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ENVIRONMENT } from '@fairlead/test-support/environment';
import { writeFiles } from './files.js';

/** The built command line. It runs modules without a loader. */
const COMMAND_LINE = fileURLToPath(
  new URL('../../../packages/fairlead/dist/main.js', import.meta.url),
);

/**
 * Runs a TypeScript program in a child process.
 *
 * @param source - The program. It has a function `createMyApp`, which creates an application.
 * @throws {Error} With what the program has printed, when it fails.
 */
export async function runProgram(source: string): Promise<undefined> {
  const imports = [
    "import { createApp } from '@fairlead/core';",
    "import { serve } from '@fairlead/serve';",
    "const createMyApp = () => createApp().get('/', () => 'hello');",
  ];
  const directory = await writeFiles({ 'main.ts': [...imports, source].join('\n') });
  return run([...process.execArgv, `${directory}/main.ts`]);
}

/**
 * Runs the command line in a project.
 *
 * @param files - The sources of the project, by path.
 * @param args - The command, and its arguments.
 * @throws {Error} With what the program has printed, when it fails.
 */
export async function runCommand(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<undefined> {
  const cwd = await writeFiles(files);
  return run([COMMAND_LINE, ...args], { cwd });
}

function run(args: readonly string[], options: { readonly cwd?: string } = {}): Promise<undefined> {
  // Node.js 22 warns about its support for TypeScript.
  const env = { ...ENVIRONMENT, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { ...options, env }, (error, _, stderr) => {
      if (error === null) resolve(console.error(stderr) as undefined);
      else reject(new Error(stderr));
    });
  });
}
