import { execFile } from 'node:child_process';
import { writeFiles } from './files.js';

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
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [...process.execArgv, `${directory}/main.ts`],
      (error, _, stderr) => {
        if (error === null) resolve(console.error(stderr) as undefined);
        else reject(new Error(stderr));
      },
    );
  });
}
