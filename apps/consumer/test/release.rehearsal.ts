import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks } from './support/documents.js';
import { PROGRAMS, packages } from './support/packages.js';
import { createProject, here, run, runTsc, workspace } from './support/project.js';
import { type Registry, startRegistry } from './support/registry.js';
import { copyRepository, type Repository } from './support/repository.js';
import { runModules, writeRunner } from './support/runner.js';

/** How to use a package manager. Its name is that of its rows in docs/upgrading.md. */
interface Manager {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Adds packages in the given versions, or in the latest. */
  readonly add: string;
  readonly files?: Readonly<Record<string, string>>;
}

const page = await readFile(join(workspace, 'docs/upgrading.md'), 'utf8');

/** The settings that install releases of the last 24 hours. */
const [pnpmSettings = '', yarnSettings = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
  ([, text = '']) => text,
);

const npm: Manager = { name: 'npm', command: ['npm'], add: 'install' };

const otherManagers: readonly Manager[] = [
  {
    name: 'pnpm',
    command: ['pnpm'],
    add: 'add',
    files: { 'pnpm-workspace.yaml': pnpmSettings },
  },
  { name: 'Yarn 1', command: [process.execPath, 'yarn/bin/yarn.js'], add: 'add' },
  {
    name: 'Yarn 4',
    command: [process.execPath, '@yarnpkg/cli-dist/bin/yarn.js'],
    add: 'add',
    files: { '.yarnrc.yml': `nodeLinker: node-modules\n${yarnSettings}`, 'yarn.lock': '' },
  },
  { name: 'Bun', command: ['bun'], add: 'add' },
];

const managers = [npm, ...otherManagers];

/** Returns the arguments of a package manager's command in a section of docs/upgrading.md. */
function documented(heading: string, { name }: Manager): readonly string[] {
  const section = page.split('\n## ').find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const row = section.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '';
  const [, command] = /`([^`]*)` \|$/.exec(row) ?? [];
  if (command === undefined) {
    throw new Error(`'${heading}' in docs/upgrading.md has no command for ${name}.`);
  }
  return command.replaceAll('"', '').split(' ').slice(1);
}

const PATCH = 'Install a patch release';
const MINOR = 'Move to a new minor version';

/** Packages of the projects. session depends on middleware. */
const DEPENDENCIES = ['core', 'di', 'controllers', 'middleware', 'session', 'serve'].map(
  (name) => `@fairlead/${name}`,
);
const DEV_DEPENDENCY = '@fairlead/testing';
const INSTALLED = [...DEPENDENCIES, DEV_DEPENDENCY];

/** The names of all published packages. */
const published = [...packages.map((name) => `@fairlead/${name}`), ...PROGRAMS];

/** The first example of each of these documents. */
const examples = [
  'README.md',
  ...['core', 'di', 'controllers'].map((name) => `packages/${name}/README.md`),
]
  .map((document) => blocks.find(({ location }) => location.startsWith(`${document}:`)))
  .filter((block) => block !== undefined);

/** Prints the packages of a project, and each copy of core that they use. */
const LIST_PACKAGES = `
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
const project = createRequire(import.meta.url);
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = Object.keys({ ...dependencies, ...devDependencies });
const files = names.filter((name) => name.startsWith('@fairlead/')).flatMap((name) => {
  const file = project.resolve(name + '/package.json');
  return [file, createRequire(file).resolve('@fairlead/core/package.json')];
});
for (const file of new Set(files.map((file) => realpathSync(file)))) {
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
  console.log(name + '@' + version);
}
`;

let root: string;
let registry: Registry;
let repository: Repository;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-release-'));
  registry = await startRegistry(root);
  repository = await copyRepository(join(root, 'repository'), registry);
});

afterAll(async () => {
  await registry?.stop();
  await rm(root, { recursive: true, force: true });
});

/** Reads what the registry knows of a package. */
async function lookUp(name: string) {
  const response = await fetch(new URL(name.replace('/', '%2f'), registry.url));
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Returns the latest version of each published package. */
async function latestVersions(): Promise<string[]> {
  const answers = await Promise.all(published.map(lookUp));
  return answers.map(({ body }) => body['dist-tags']?.latest);
}

/** Runs a package manager in a project. Rejects with everything that it prints when it fails. */
async function manage(manager: Manager, project: string, args: readonly string[]): Promise<void> {
  const [command, ...files] = manager.command;
  const paths = files.map((file) => join(registry.tools, 'node_modules', file));
  const call = run(command, [...paths, ...args], project, { env: registry.env });
  await call.catch((cause) => {
    throw new Error(`${cause.message}\n${cause.stdout}`, { cause });
  });
}

/** Returns the packages of a project with their versions, each copy of core once, sorted. */
async function listPackages(project: string): Promise<readonly string[]> {
  await writeFile(join(project, 'packages.mjs'), LIST_PACKAGES);
  const { stdout } = await run(process.execPath, ['packages.mjs'], project);
  return stdout.trim().split('\n').toSorted();
}

/** Checks that all packages have a version and use one copy of core, and that the examples run. */
async function checkProject(project: string, version: string): Promise<void> {
  const expected = INSTALLED.map((name) => `${name}@${version}`);
  expect(await listPackages(project)).toEqual(expected.toSorted());
  for (const { file } of examples) {
    const { stderr } = await runModules(project, [file]);
    expect(stderr).toBe('');
  }
}

/** Sets the versions of the packages in package.json. */
async function setVersions(project: string, range: string): Promise<void> {
  const file = join(project, 'package.json');
  const manifest = await readFile(file, 'utf8');
  await writeFile(file, manifest.replaceAll(/("@fairlead\/[^"]*": *)"[^"]*"/g, `$1"${range}"`));
}

const projectOf = (manager: Manager): string => join(root, manager.name.replace(' ', '-'));

describe('the first release', () => {
  beforeAll(async () => {
    await repository.release();
  });

  it('publishes 0.1.0 of every package', async () => {
    expect(await latestVersions()).toEqual(published.map(() => '0.1.0'));
  });

  it('has one changelog entry for each package', async () => {
    for (const name of published) {
      const folder = name.replace('@fairlead/', '');
      const changelog = await repository.read(`packages/${folder}/CHANGELOG.md`);
      const entries = changelog.match(/^- (?!Updated dependencies).*/gm) ?? [];
      expect(entries).toEqual([expect.stringMatching(/^- [0-9a-f]+: First release\./)]);
    }
  });

  it('depends on released versions of the other packages', async () => {
    const { body } = await lookUp('@fairlead/session');
    expect(body.versions['0.1.0']).toMatchObject({
      dependencies: { '@fairlead/middleware': '^0.1.0' },
      peerDependencies: { '@fairlead/core': '^0.1.0' },
    });
  });

  it.each(['options', 'test-support', 'unknown'])('does not publish @fairlead/%s', async (name) => {
    expect(await lookUp(`@fairlead/${name}`)).toMatchObject({ status: 404 });
  });

  it.each(managers)('runs the examples after an installation with $name', async (manager) => {
    const project = projectOf(manager);
    await createProject(project);
    for (const [file, text] of Object.entries(manager.files ?? {})) {
      await writeFile(join(project, file), text);
    }
    await manage(manager, project, [manager.add, ...DEPENDENCIES, 'reflect-metadata@0.2.2']);
    await manage(manager, project, [manager.add, '-D', DEV_DEPENDENCY, '@types/node@22.20.5']);
    await writeRunner(project);
    for (const { file, code } of examples) {
      await mkdir(dirname(join(project, file)), { recursive: true });
      await writeFile(join(project, `${file}.ts`), code);
    }
    const { compilerOptions } = JSON.parse(await readFile(join(project, 'tsconfig.json'), 'utf8'));
    const files = examples.map(({ file }) => `${file}.ts`);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = await runTsc('typescript', [], project).catch((failure) => failure);
    expect(stdout).toBe('');
    await checkProject(project, '0.1.0');
  });

  it('creates a project with npm create, which passes its tests', async () => {
    const options = ['--template', 'minimal'];
    await manage(npm, root, ['create', '--yes', 'fairlead@latest', 'created', '--', ...options]);
    const project = join(root, 'created');
    expect(await listPackages(project)).toEqual(['@fairlead/core@0.1.0', '@fairlead/serve@0.1.0']);
    await manage(npm, project, ['test']);
  });
});

describe('a patch', () => {
  beforeAll(async () => {
    await repository.releaseAgain("---\n'@fairlead/core': patch\n---\n\nFixes.\n");
  });

  it('publishes 0.1.1 of every package', async () => {
    expect(await latestVersions()).toEqual(published.map(() => '0.1.1'));
  });

  it.each(managers)('comes with an update by $name', async (manager) => {
    const project = projectOf(manager);
    await manage(manager, project, documented(PATCH, manager));
    await checkProject(project, '0.1.1');
  });
});

describe('a minor', () => {
  beforeAll(async () => {
    await repository.releaseAgain("---\n'@fairlead/di': minor\n---\n\nAdds.\n");
  });

  it('publishes 0.2.0 of every package', async () => {
    expect(await latestVersions()).toEqual(published.map(() => '0.2.0'));
  });

  it.each(managers)('does not come with an update by $name', async (manager) => {
    const project = projectOf(manager);
    await manage(manager, project, documented(PATCH, manager));
    await checkProject(project, '0.1.1');
  });

  it.each([
    ['some', ['@fairlead/core']],
    ['all', INSTALLED],
  ])('of %s packages is refused by npm install', async (_which, names) => {
    const project = projectOf(npm);
    const latest = names.map((name) => `${name}@latest`);
    await expect(manage(npm, project, ['install', ...latest])).rejects.toThrow('ERESOLVE');
    await checkProject(project, '0.1.1');
  });

  it('of all packages is installed by npm once package.json has it', async () => {
    const project = projectOf(npm);
    await setVersions(project, '^0.2.0');
    await manage(npm, project, documented(MINOR, npm));
    await checkProject(project, '0.2.0');
  });

  it.each(otherManagers)('of all packages is installed by $name', async (manager) => {
    const project = projectOf(manager);
    await manage(manager, project, documented(MINOR, manager));
    await checkProject(project, '0.2.0');
  });
});

describe('a library with its own copies of the packages', () => {
  let lines: readonly string[];

  beforeAll(async () => {
    const library = join(root, 'acme-plugin');
    await cp(join(here, 'fixtures/release/acme-plugin'), library, { recursive: true });
    await manage(npm, library, ['publish', '--registry', registry.url]);
    const project = join(root, 'copies');
    await createProject(project);
    await cp(join(here, 'fixtures/release/copies'), project, { recursive: true });
    const own = ['core', 'di', 'controllers'].map((name) => `@fairlead/${name}@0.1.0`);
    await manage(npm, project, ['install', ...own, 'reflect-metadata@0.2.2', 'acme-plugin@1.0.0']);
    const { stdout } = await run(process.execPath, ['app.js'], project);
    lines = stdout.trimEnd().split('\n');
  });

  const copiesOf = (name: string): string =>
    `The copies are node_modules/@fairlead/${name}/dist/index.js and node_modules/acme-plugin/node_modules/@fairlead/${name}/dist/index.js.`;

  it.each([
    ['errors', 'error: 409 {', '"code":"TAKEN"'],
    ['the current context', 'context: 200 "/"', ''],
    ['services', 'service: sent', ''],
    ['controllers', 'controller: 200 ["a report"]', ''],
  ])('shares %s with the application', (_what, start, part) => {
    expect(lines.find((line) => line.startsWith(start))).toContain(part);
  });

  it.each([
    ['parser: INVALID_MIDDLEWARE', copiesOf('core')],
    ['router: INVALID_ROUTER', copiesOf('core')],
    ['token: DI_', copiesOf('di')],
    ['global container: DI_', copiesOf('di')],
  ])('cannot pass other things to it without an error that names both: %s', (start, copies) => {
    const line = lines.find((each) => each.startsWith(start));
    expect(line).toContain(copies);
    expect(line).toMatch(/`npm ls @fairlead\/(core|di)`/);
  });

  it('is named in the log when it passes a request to its own copy', () => {
    const [first = '', second] = lines.slice(lines.findIndex((line) => line.startsWith('onError')));
    expect(first).toContain('MIXED_COPIES json() cannot use the context of the request.');
    expect(first).toContain('node_modules/acme-plugin/node_modules/@fairlead/core/dist/index.js');
    expect(second).toMatch(/^wrapped parser: 500 /);
  });
});

it('has an engine whose speed was measured: otherwise run pnpm bench, and correct the pages', async () => {
  const results = await readFile(
    join(workspace, 'apps/benchmarks/results/http-node-24.21.0.md'),
    'utf8',
  );
  const [, commit = 'none'] = /, commit (\w+): /.exec(results) ?? [];
  const sources = ['core', 'di', 'controllers'].map((name) => `packages/${name}/src`);
  const { stdout } = await run('git', ['diff', '--name-only', commit, '--', ...sources], workspace);
  const changed = stdout.split('\n').filter((file) => /(?<!\.test|\.test-d)\.ts$/.test(file));
  expect(changed).toEqual([]);
});
