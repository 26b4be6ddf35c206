import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const script = join(import.meta.dirname, '../src/new-package.ts');

it.each([
  [[], 'the name is missing.'],
  [
    ['Job_Queue'],
    "the name 'Job_Queue' is not lowercase words joined by hyphens. Use a name such as 'job-queue'.",
  ],
  [['2-jobs'], "the name '2-jobs' is not lowercase words joined by hyphens."],
  [['jobs-'], "the name 'jobs-' is not lowercase words joined by hyphens."],
  [
    ['@fairlead/jobs'],
    "the name '@fairlead/jobs' has a scope. Omit the scope: it is always @fairlead.",
  ],
  [['taken', 'Runs jobs'], 'packages/taken exists. Use another name.'],
  [['jobs'], 'the description is missing.'],
  [['jobs', 'Runs jobs.'], "the description 'Runs jobs.' is not a sentence without its period."],
  [['jobs', 'Runs', 'jobs'], "there is an unknown argument 'jobs'. Put the description in quotes."],
])('pnpm new-package %j explains what is wrong, and creates nothing', async (args, message) => {
  const repository = await mkdtemp(join(tmpdir(), 'fairlead-new-'));
  onTestFinished(() => rm(repository, { recursive: true }));
  await mkdir(join(repository, 'packages/taken'), { recursive: true });
  const failure = await promisify(execFile)(process.execPath, [script, ...args], {
    cwd: repository,
  }).catch((error) => error);
  expect(failure.code).toBe(1);
  expect(failure.stderr).toContain(`Cannot create a package: ${message}`);
  expect(failure.stderr).toContain('Usage: pnpm new-package <name> "<what it does>"');
  expect(await readdir(repository, { recursive: true })).toEqual(['packages', 'packages/taken']);
});
