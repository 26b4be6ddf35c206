import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Recorded, writePage } from '../src/suites/page.js';
import results from '../src/suites/results.json' with { type: 'json' };
import { readTap } from '../src/suites/suite.js';
import { suites } from '../src/suites/suites.js';

const workspace = join(import.meta.dirname, '../..');

const recorded: Readonly<Record<string, Recorded>> = results;

it('docs/contributing/peers-suites.md has the recorded counts of every suite', async () => {
  const page = writePage(suites, recorded);
  await expect(page).toMatchFileSnapshot(join(workspace, 'docs/contributing/peers-suites.md'));
});

it.each(suites)('$name: a reason explains each failed test of the recorded run', (suite) => {
  const { tests, passed, different = {}, absent = {}, open = {} } = recorded[suite.name] ?? {};
  const counts = [...Object.values(different), ...Object.values(absent), ...Object.values(open)];
  expect(counts.reduce((sum, count) => sum + count, passed ?? 0)).toBe(tests);
  expect(Object.keys(different)).toEqual(suite.differences.map(({ why }) => why));
  expect(Object.keys(absent)).toEqual(suite.absent.map(({ why }) => why));
  expect(Object.keys(open)).toEqual((suite.open ?? []).map(({ why }) => why));
});

it('reads the report of ava', () => {
  const report =
    'TAP version 13\nok 1 - a › b\nnot ok 2 - c\n  ---\n    message: no\n  ...\nok 3 - d\n';
  expect(readTap(report)).toEqual([
    { name: 'a > b', passed: true, message: '' },
    { name: 'c', passed: false, message: '    message: no\n' },
    { name: 'd', passed: true, message: '' },
  ]);
});
