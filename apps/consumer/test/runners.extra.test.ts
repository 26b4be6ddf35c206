import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  createProject,
  here,
  install,
  installedVersion,
  run,
  workspace,
} from './support/project.js';

const tarballs = inject('tarballs');
const PACKAGES = ['core', 'di', 'controllers', 'openapi', 'testing'];

/** Packages with dependencies that are ES modules. */
const WITH_ES_MODULES = ['client', 'jwt', 'middleware', 'static'];

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-runners-'));
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Creates a project with an application that discovers its controller, and a test for it. */
async function createRunnerProject(
  name: string,
  runner: readonly string[],
  packages = PACKAGES,
): Promise<string> {
  const project = join(root, name);
  await createProject(project);
  const libraries = await Promise.all(
    ['reflect-metadata', 'swagger-ui-dist'].map(installedVersion),
  );
  const packed = packages.map((name) => tarballs[name] ?? name);
  await install(project, [...packed, ...libraries, ...runner]);
  await cp(join(here, 'fixtures/runners'), project, { recursive: true });
  return project;
}

/** Returns the configuration file of a test runner that the testing guide shows. */
async function documentedConfig(file: string): Promise<string> {
  const guide = await readFile(join(workspace, 'docs/guides/testing.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)];
  return blocks.find(([, name]) => name === file)?.[2] ?? `No ${file} in the guide.`;
}

/** Runs a test runner, and returns the output that it prints to both streams, without colors. */
async function runTests(project: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, args, project).catch((failure) => failure);
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

describe('vitest', () => {
  let project: string;
  const runVitest = (...flags: readonly string[]) =>
    runTests(project, ['node_modules/vitest/vitest.mjs', 'run', ...flags]);

  beforeAll(async () => {
    project = await createRunnerProject('vitest', ['vitest@5.1.0']);
  });

  it.each(['forks', 'threads', 'vmForks', 'vmThreads'])(
    'imports the discovered files, in the pool %s',
    async (pool) => {
      expect(await runVitest('--pool', pool)).toMatch(/Tests +2 passed/);
    },
  );

  it('without a known runner fails the start, until the setting of the message is added', async () => {
    await writeFile(join(project, 'setup.js'), 'delete globalThis.__vitest_mocker__;');
    const setup = "setupFiles: ['setup.js']";
    await writeFile(join(project, 'setup.config.js'), `export default { test: { ${setup} } };`);
    const output = await runVitest('--config', 'setup.config.js');
    expect(output).toMatch(/Tests +2 failed/);
    expect(output).not.toContain('no controllers found');
    const [, setting] = /Fix: add `(.*)` to `test` in vitest\.config\.ts\./.exec(output) ?? [];

    const config = `export default { test: { ${setup}, ${setting} } };`;
    await writeFile(join(project, 'inline.config.js'), config);
    expect(await runVitest('--config', 'inline.config.js')).toMatch(/Tests +2 passed/);
    expect(await documentedConfig('vitest.config.js')).toContain(setting);
  });
});

describe('Jest', () => {
  let project: string;
  const runJest = async (config: string, ...flags: readonly string[]) => {
    await writeFile(join(project, config), await documentedConfig(config));
    return runTests(project, [...flags, 'node_modules/jest/bin/jest.js', '--config', config]);
  };

  beforeAll(async () => {
    const compiler = ['@swc/jest@0.2.39', '@swc/core@1.16.22'];
    const packages = [...PACKAGES, ...WITH_ES_MODULES];
    project = await createRunnerProject('jest', ['jest@30.5.2', ...compiler], packages);
    const test = join(project, 'test/app.test.ts');
    const source = await readFile(test, 'utf8');
    await writeFile(test, source.replace("from 'vitest'", "from '@jest/globals'"));
  });

  it('imports the discovered files as ES modules', async () => {
    const output = await runJest('jest.config.js', '--experimental-vm-modules');
    expect(output).toMatch(/Tests: +2 passed/);
  });

  it('imports the discovered files as CommonJS', async () => {
    const manifest = join(project, 'package.json');
    const { type: _, ...commonJs } = JSON.parse(await readFile(manifest, 'utf8'));
    await writeFile(manifest, JSON.stringify(commonJs));
    const imports = WITH_ES_MODULES.map((name) => `await import('@fairlead/${name}');`);
    const test = `import { it } from '@jest/globals';\nit('loads', async () => {${imports.join('')}});`;
    await writeFile(join(project, 'test/es-modules.test.ts'), test);
    expect(await runJest('jest.config.cjs')).toMatch(/Tests: +3 passed/);
  });
});
