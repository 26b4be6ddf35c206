import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import type { Observation } from '../../src/observe.js';
import { compileMistakes, keyOf } from './compile.js';

const APP = resolve(import.meta.dirname, '../..');

/** What the compiler and a process say about a mistake. */
export interface Result extends Observation {
  /** As `TS2322: Type …`. Empty if the mistake compiles. */
  readonly compilerErrors: readonly string[];
}

/** Makes all mistakes in one process, while this one checks their types. */
export async function makeMistakes(): Promise<readonly Result[]> {
  const observations = observeMistakes();
  const compilerErrors = compileMistakes();
  return (await observations).map((observation) => ({
    ...observation,
    compilerErrors: compilerErrors.get(keyOf(observation)) ?? [],
  }));
}

function observeMistakes(): Promise<readonly Observation[]> {
  const child = fork('src/main.ts', {
    cwd: APP,
    execArgv: ['--conditions=@fairlead/source', '--import', '@oxc-node/core/register'],
    // Without the variables of the test runner, such as NODE_ENV.
    env: { PATH: process.env.PATH },
    serialization: 'advanced',
    silent: true,
  });
  const output: string[] = [];
  child.stdout?.on('data', (chunk) => output.push(String(chunk)));
  child.stderr?.on('data', (chunk) => output.push(String(chunk)));
  return new Promise((done, fail) => {
    child.once('message', (observations) => done(observations as readonly Observation[]));
    // After the last message, also when the process fails.
    child.once('disconnect', () => fail(new Error(`The process has failed: ${output.join('')}`)));
  });
}
