import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shuffledMutants, Tester } from '../src/mutation/package.js';

it('tests kill the mutants that they notice, also in processes that they start', async () => {
  const folder = join(import.meta.dirname, '../fixtures/mutation');
  const tester = new Tester(folder, 1);
  onTestFinished(() => tester.stop());
  await tester.measure();
  const outcomes: [string, string][] = [];
  for (const mutant of shuffledMutants(folder, 1)) {
    const { file, line, before, after } = mutant;
    outcomes.push([`${file}:${line} ${before} → ${after}`, await tester.test(mutant)]);
  }
  expect(Object.fromEntries(outcomes)).toEqual({
    'src/program.ts:2 0 → 1': 'survived',
    'src/program.ts:2 41 → 42': 'killed',
    'src/program.ts:2 > → <=': 'killed',
    'src/program.ts:2 > → >=': 'survived',
    'src/program.ts:2 console.log(41 + Number(process.argv.length > 0)); → ;': 'killed',
    'src/size.ts:2 9 → 10': 'survived',
    'src/size.ts:2 > → <=': 'killed',
    'src/size.ts:2 > → >=': 'killed',
    'src/size.ts:6 1 → 2': 'survived',
    'src/size.ts:6 < → <=': 'survived',
    'src/size.ts:6 < → >=': 'survived',
  });
});
