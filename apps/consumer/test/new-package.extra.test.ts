import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { published } from './support/packages.js';
import { run, workspace } from './support/project.js';
import { copyFiles } from './support/repository.js';

const NAME = 'job-queue';
let repository: string;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** Runs pnpm in the copy, without the environment of this test run. */
function pnpm(...args: readonly string[]) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV)/.test(name),
  );
  return run('pnpm', args, repository, { env: Object.fromEntries(inherited) });
}

/** Runs tests of the copy, and returns the titles of those that pass, sorted. Rejects when one fails. */
async function passing(files: readonly string[], tests: string): Promise<string[]> {
  await pnpm('--filter', 'consumer', 'exec', 'vitest', 'run', ...files, '-t', tests);
  const path = join(repository, 'apps/consumer/reports/vitest.json');
  const { testResults }: Report = JSON.parse(await readFile(path, 'utf8'));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ title, status }) => (status === 'passed' ? title : []))
    .toSorted();
}

beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), 'fairlead-repository-'));
  await copyFiles(repository);
  for (const name of published) {
    const dist = join('packages', name, 'dist');
    await cp(join(workspace, dist), join(repository, dist), { recursive: true });
  }
  // The linter reads what git ignores.
  await run('git', ['init', '--quiet'], repository);
  const script = join(repository, 'tools/src/new-package.ts');
  await run(process.execPath, [script, NAME, 'Runs jobs in the background'], repository);
  await pnpm('install', '--no-frozen-lockfile', '--prefer-offline');
  await pnpm('exec', 'turbo', 'run', 'build', `--filter=@fairlead/${NAME}`);
});

afterAll(() => rm(repository, { recursive: true, force: true }));

it.each([
  ['its tests', ['--filter', `@fairlead/${NAME}`, 'test']],
  ['the compiler', ['exec', 'tsc', '-p', `packages/${NAME}`]],
  [
    'the linter and the formatter',
    ['exec', 'biome', 'ci', '--error-on-warnings', `packages/${NAME}`, 'apps/consumer'],
  ],
])('a new package passes %s', async (_check, command) => {
  await expect(pnpm(...command)).resolves.toBeDefined();
});

it('a new package is what the tests of this app expect of each package', async () => {
  const files = ['agents', 'architecture', 'manifests', 'import-cycles', 'links', 'readme-source'];
  expect(await passing(files, NAME)).toEqual([
    'is listed in README.md and in ARCHITECTURE.md: packages/job-queue',
    'is public, has provenance and a license: packages/job-queue',
    'no two folders of packages/job-queue/src import each other, also by way of others',
    'packages/job-queue/AGENTS.md has what the package exports now',
    'packages/job-queue/AGENTS.md installs the package, and its links work',
    'packages/job-queue/AGENTS.md is published, short, and shows how to use it',
    'packages/job-queue/AGENTS.md names only functions that exist',
    'packages/job-queue/src has no import cycle',
    'point to existing files and folders',
    'point to existing files and folders',
    'point to existing headings',
    'point to existing headings',
    'runs and prints its comments: packages/job-queue/AGENTS.md:8',
    'runs and prints its comments: packages/job-queue/README.md:12',
    'the list of files of packages/job-queue has every file of its source, and no other',
  ]);
});

it('a new package has an API report and budgets, and packs as the others', async () => {
  const files = ['api', 'install', 'sizes', 'tarballs'].map((name) => `${name}.long`);
  const tests = `${NAME}|every package and every module`;
  expect(await passing([...files, '--config', 'vitest.long.config.ts'], tests)).toEqual([
    'a tarball has code, types and documents, and no source: job-queue',
    'an import loads no more than its budget: @fairlead/job-queue',
    'every package and every module of one has a budget',
    'has no problem that publint or attw finds: job-queue',
    'no file of a tarball refers to a source map: job-queue',
    'the API of @fairlead/job-queue is the one in its report',
    'the packed size is within its budget: job-queue',
  ]);
});
