import { execFile } from 'node:child_process';
import { ENVIRONMENT } from '@fairlead/test-support/environment';

/** Result of a program. */
export interface Outcome {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Maps `#fairlead` for the files of a tree. */
export const PACKAGE_JSON = JSON.stringify({
  type: 'module',
  main: 'main.js',
  imports: { '#fairlead': './fairlead.js' },
});

/** Source of the file that re-exports the bundle in a tree. */
export const FAIRLEAD = "export * from '../bundle/fairlead.js';";

/**
 * Runs node until it exits.
 *
 * @param directory - Working directory.
 * @param args - Options and entry file.
 */
export function runNode(directory: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd: directory, env: ENVIRONMENT, timeout: 100_000 };
    execFile(process.execPath, [...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}
