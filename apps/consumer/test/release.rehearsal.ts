import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks } from './support/documents.js';
import { packages } from './support/packages.js';
import { createProject, here, run, runTsc } from './support/project.js';
import { type Registry, startRegistry } from './support/registry.js';
import { copyRepository, type Repository } from './support/repository.js';
import { runModule, writeRunner } from './support/runner.js';

/** How to use a package manager. */
interface Manager {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Adds packages in the given versions, or in the latest. */
  readonly add: readonly string[];
  /** Updates packages within the ranges of package.json. */
  readonly update: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const managers: readonly Manager[] = [
  { name: 'npm', command: ['npm'], add: ['install'], update: ['update'] },
  { name: 'pnpm', command: ['pnpm'], add: ['add'], update: ['update'] },
  {
    name: 'yarn 1',
    command: [process.execPath, 'yarn/bin/yarn.js'],
    add: ['add'],
    update: ['upgrade'],
  },
  {
    name: 'yarn 4',
    command: [process.execPath, '@yarnpkg/cli-dist/bin/yarn.js'],
    add: ['add'],
    update: ['up', '--recursive'],
    files: { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' },
  },
  {
    name: 'bun',
    command: ['bun'],
    add: ['add', '--no-cache'],
    update: ['update', '--no-cache'],
  },
];

/** The packages of the projects. csrf depends on cookies, and the others have only peers. */
const INSTALLED = ['core', 'di', 'controllers', 'cookies', 'csrf', 'serve'].map(
  (name) => `@fairlead/${name}`,
);

/** The first example of each of these documents. */
const examples = [
  'README.md',
  ...['core', 'di', 'controllers'].map((name) => `packages/${name}/README.md`),
]
  .map((document) => blocks.find(({ location }) => location.startsWith(`${document}:`)))
  .filter((block) => block !== undefined);

/** Prints the version and the file of each copy of core that the installed packages use. */
const LIST_COPIES = `
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
const project = createRequire(import.meta.url);
const users = [project, ...process.argv.slice(2).map((name) => createRequire(project.resolve(name)))];
const files = users.map((user) => realpathSync(user.resolve('@fairlead/core/package.json')));
for (const file of new Set(files)) console.log(project(file).version);
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
  const answers = await Promise.all(packages.map((name) => lookUp(`@fairlead/${name}`)));
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

/** Checks that all packages use one copy of core, and that the examples run with it. */
async function checkProject(project: string, version: string): Promise<void> {
  await writeFile(join(project, 'copies.mjs'), LIST_COPIES);
  const { stdout } = await run(process.execPath, ['copies.mjs', ...INSTALLED], project);
  expect(stdout.trim().split('\n')).toEqual([version]);
  for (const { file } of examples) {
    const { stderr } = await runModule(project, file);
    expect(stderr).toBe('');
  }
}

const projectOf = (manager: Manager): string => join(root, manager.name.replace(' ', '-'));

describe('the first release', () => {
  beforeAll(async () => {
    await repository.release();
  });

  it('publishes 0.1.0 of every package', async () => {
    expect(await latestVersions()).toEqual(packages.map(() => '0.1.0'));
  });

  it('has one changelog entry for each package', async () => {
    for (const name of packages) {
      const changelog = await repository.read(`packages/${name}/CHANGELOG.md`);
      const entries = changelog.match(/^- (?!Updated dependencies).*/gm) ?? [];
      expect(entries).toEqual([expect.stringMatching(/^- [0-9a-f]+: First release\./)]);
    }
  });

  it('depends on released versions of the other packages', async () => {
    const { body } = await lookUp('@fairlead/csrf');
    expect(body.versions['0.1.0']).toMatchObject({
      dependencies: { '@fairlead/cookies': '^0.1.0' },
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
    const libraries = ['reflect-metadata@0.2.2', '@types/node@22.20.5'];
    await manage(manager, project, [...manager.add, ...INSTALLED, ...libraries]);
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
});

describe('a patch', () => {
  beforeAll(async () => {
    await repository.releaseAgain("---\n'@fairlead/core': patch\n---\n\nFixes.\n");
  });

  it('publishes 0.1.1 of every package', async () => {
    expect(await latestVersions()).toEqual(packages.map(() => '0.1.1'));
  });

  it.each(managers)('comes with an update by $name', async (manager) => {
    const project = projectOf(manager);
    await manage(manager, project, [...manager.update, ...INSTALLED]);
    await checkProject(project, '0.1.1');
  });
});

describe('a minor', () => {
  beforeAll(async () => {
    await repository.releaseAgain("---\n'@fairlead/di': minor\n---\n\nAdds.\n");
  });

  it('publishes 0.2.0 of every package', async () => {
    expect(await latestVersions()).toEqual(packages.map(() => '0.2.0'));
  });

  it.each(managers)('does not come with an update by $name', async (manager) => {
    const project = projectOf(manager);
    await manage(manager, project, [...manager.update, ...INSTALLED]);
    await checkProject(project, '0.1.1');
  });

  it('of some packages only is refused by npm', async () => {
    const [npm] = managers as [Manager];
    const project = projectOf(npm);
    const upgrade = manage(npm, project, ['install', '@fairlead/core@0.2.0']);
    await expect(upgrade).rejects.toThrow('ERESOLVE');
    await checkProject(project, '0.1.1');
  });

  it.each(managers)('of all packages is installed by $name', async (manager) => {
    const project = projectOf(manager);
    // npm 12 fails with ERESOLVE if it replaces all of these packages in an existing tree.
    for (const name of ['node_modules', 'package-lock.json']) {
      await rm(join(project, name), { recursive: true, force: true });
    }
    const latest = INSTALLED.map((name) => `${name}@latest`);
    await manage(manager, project, [...manager.add, ...latest]);
    await checkProject(project, '0.2.0');
  });
});

describe('a library with its own copies of the packages', () => {
  let lines: readonly string[];

  beforeAll(async () => {
    const [npm] = managers as [Manager];
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
