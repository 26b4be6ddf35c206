import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compare, runSuite, type Suite } from '../src/suites/suite.js';

const checkout = join(import.meta.dirname, '../fixtures/suites');

const fixture: Suite = {
  name: 'fixture',
  repository: 'none/none',
  subject: '',
  runner: 'node',
  files: ['*.test.cjs'],
  adapters: {
    './koa-compose.cjs': 'koa-compose.ts',
    './cookie.cjs': 'cookie.ts',
    './koa.cjs': 'koa.ts',
    './koa-cors.cjs': 'koa-cors.ts',
    './find-my-way.cjs': 'find-my-way.ts',
    './connect.cjs': 'connect.ts',
    './jose.cjs': 'jose.ts',
  },
  differences: [
    {
      why: 'differs.',
      tests: ['koa-compose.test.cjs > koa-compose > returns what a function returns'],
    },
  ],
  absent: [
    { why: 'lacks it.', tests: ['koa-compose.test.cjs > koa-compose > no such test'] },
    { why: 'refuses it.', message: 'Absent: removal' },
  ],
};

it('runs the tests of a checkout against our code, and finds what no reason explains', async () => {
  const run = await runSuite(fixture, checkout);
  const { failed, ...others } = compare(fixture, run);
  expect(failed.map(({ name, message }) => [name, message])).toEqual([
    [
      'koa-compose.test.cjs > koa-compose > a test that no reason names',
      expect.stringContaining('as expected'),
    ],
  ]);
  expect(others).toEqual({
    tests: run.length,
    passed: run.length - 3,
    different: { 'differs.': 1 },
    absent: { 'lacks it.': 0, 'refuses it.': 1 },
    open: {},
    stale: ['koa-compose.test.cjs > koa-compose > no such test'],
  });
});

it('runs a suite for servers against an application of ours', async () => {
  const suite: Suite = { ...fixture, runner: 'server', files: ['http_test.ts'], adapters: {} };
  expect(await runSuite(suite, checkout)).toEqual(
    expect.arrayContaining([
      { name: 'http_test.ts > Echo', passed: true, message: 'Response Status Code 200' },
      {
        name: 'http_test.ts > A test: that fails',
        passed: false,
        message: 'Read operation timed out',
      },
    ]),
  );
});

it('rejects a checkout without the test files of the suite', async () => {
  const run = runSuite({ ...fixture, files: ['missing.cjs'] }, checkout);
  await expect(run).rejects.toThrow('fixtures/suites has no files missing.cjs.');
});
