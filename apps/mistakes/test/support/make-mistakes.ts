import type { Observation } from '../../src/observe.js';
import { compileMistakes, keyOf } from './compile.js';
import { runInProcess } from './run-in-process.js';

/** What the compiler and a process say about a mistake. */
export interface Result extends Observation {
  /** As `TS2322: Type …`. Empty if the mistake compiles. */
  readonly compilerErrors: readonly string[];
}

/** Makes all mistakes in one process, while this one checks their types. */
export async function makeMistakes(): Promise<readonly Result[]> {
  const observations = runInProcess<Observation>('src/main.ts');
  const compilerErrors = compileMistakes();
  return (await observations).map((observation) => ({
    ...observation,
    compilerErrors: compilerErrors.get(keyOf(observation)) ?? [],
  }));
}
