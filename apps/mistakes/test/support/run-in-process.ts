import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { ENVIRONMENT } from '@fairlead/test-support/environment';

const APP = resolve(import.meta.dirname, '../..');

/**
 * Runs a file in a process without the variables of the test runner, such as NODE_ENV.
 *
 * @param file - Relative to the package. Sends its results to this process.
 */
export function runInProcess<Result>(file: string): Promise<readonly Result[]> {
  const child = fork(file, {
    cwd: APP,
    execArgv: ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'],
    env: ENVIRONMENT,
    serialization: 'advanced',
    silent: true,
  });
  const output: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  return new Promise((done, fail) => {
    child.once('message', (results) => done(results as readonly Result[]));
    // After the last message, also when the process fails.
    child.once('disconnect', () => fail(new Error(`The process has failed: ${output.join('')}`)));
  });
}
