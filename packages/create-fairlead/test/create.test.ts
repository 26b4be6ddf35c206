import { spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
/** The templates that Node.js runs, and those that need a compiler. */
const STRIPPED = ['minimal', 'values'];
const COMPILED = ['rest-api', 'auth'];
const TEMPLATES = [...STRIPPED, ...COMPILED];

let root: string;
let folder: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'create-fairlead-')));
});

beforeEach(async () => {
  folder = await mkdtemp(join(root, 'test-'));
});

afterAll(() => rm(root, { recursive: true }));

/** Runs the built program without a terminal. */
function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = folder) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(PACKAGE, 'dist/main.js'), ...args],
    { cwd, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
  );
  return { status, stdout, stderr };
}

/** Creates a project without installing its dependencies. */
const create = (...args: readonly string[]) => run(['--no-install', ...args]);
const read = (file: string) => readFile(join(folder, file), 'utf8');
const manifestOf = async (project: string) => JSON.parse(await read(`${project}/package.json`));

describe('a created project', () => {
  it.each(TEMPLATES)(
    'has the files of the template %s, and says what to do next',
    async (template) => {
      expect(create('my-app', '--template', template)).toEqual({
        status: 0,
        stdout: `Created my-app from the template ${template}.\n\nNext steps:\n  cd my-app\n  npm install\n  npm run dev\n`,
        stderr: '',
      });
      expect(await readdir(join(folder, 'my-app'))).toEqual(
        expect.arrayContaining([
          '.git',
          '.gitignore',
          'AGENTS.md',
          'package.json',
          'src',
          'test',
          'tsconfig.json',
        ]),
      );
      expect(await read('my-app/README.md')).toMatch(/^# my-app\n/);
      expect(await read('my-app/AGENTS.md')).toMatch(/^# my-app\n/);
    },
  );

  it.each(STRIPPED)('runs on plain Node.js: %s', async (template) => {
    create('my-app', '--template', template);
    const { scripts, devDependencies } = await manifestOf('my-app');
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'fairlead', 'typescript']);
    const { dev, start, test } = scripts;
    const program = /^node (?:--(?:env-file-if-exists|watch)\S* )*src\/main\.ts$/;
    expect({ dev, start, test }).toEqual({
      dev: expect.stringMatching(program),
      start: expect.stringMatching(program),
      test: 'node --test',
    });
    const { compilerOptions } = JSON.parse(await read('my-app/tsconfig.json'));
    expect(compilerOptions).toMatchObject({ erasableSyntaxOnly: true, verbatimModuleSyntax: true });
    expect(compilerOptions).not.toHaveProperty('experimentalDecorators');
    expect(await readdir(join(folder, 'my-app'))).not.toContain('biome.json');
  });

  it.each(COMPILED)('compiles decorators, and is linted: %s', async (template) => {
    create('my-app', '--template', template);
    const { compilerOptions } = JSON.parse(await read('my-app/tsconfig.json'));
    expect(compilerOptions).toMatchObject({ emitDecoratorMetadata: true });
    expect(await readdir(join(folder, 'my-app'))).toContain('biome.json');
  });

  it.each(TEMPLATES)('depends on the versions of this release: %s', async (template) => {
    create('my-app', '--template', template);
    const { name, dependencies, devDependencies } = await manifestOf('my-app');
    const { devDependencies: released } = JSON.parse(
      await readFile(join(PACKAGE, 'package.json'), 'utf8'),
    );
    const ranges = Object.entries({ ...dependencies, ...devDependencies });
    expect(name).toBe('my-app');
    expect(
      ranges.filter(
        ([dependency, range]) =>
          /^(?:@fairlead\/|fairlead$)/.test(dependency) && range !== released[dependency],
      ),
    ).toEqual([]);
    expect(ranges.map(([, range]) => range)).not.toContain('*');
  });

  it.each([
    ['values', ['API_KEY']],
    ['auth', ['JWT_SECRET', 'ADMIN_PASSWORD']],
  ])('has new secrets: %s', async (template, names) => {
    create('one', '--template', template);
    create('two', '--template', template);
    const secrets = [await read('one/.env'), await read('two/.env')].flatMap((text) =>
      names.map((name) => new RegExp(`^${name}=(.{43})$`, 'm').exec(text)?.[1]),
    );
    expect(secrets).not.toContain(undefined);
    expect(new Set(secrets).size).toBe(2 * names.length);
    expect(await read('one/.gitignore')).toContain('\n.env\n');
  });

  it.each([
    ['npm/12.2.0', 'RUN npm ci', 'RUN npm ci --omit=dev', []],
    [
      'pnpm/12.21.0',
      'pnpm install --frozen-lockfile',
      'pnpm install --frozen-lockfile --prod',
      ['pnpm-workspace.yaml'],
    ],
    [
      'yarn/1.22.22',
      'RUN yarn install --frozen-lockfile',
      'RUN yarn install --frozen-lockfile --production',
      ['.yarnrc.yml'],
    ],
    [
      'yarn/4.18.1',
      'yarn install --immutable',
      'yarn workspaces focus --production',
      ['.yarnrc.yml'],
    ],
    [
      'bun/1.4.4',
      'bun install --frozen-lockfile',
      'bun install --frozen-lockfile --production',
      [],
    ],
  ])('is for the package manager that runs: %s', async (userAgent, all, production, files) => {
    const env = { npm_config_user_agent: `${userAgent} node/v24.21.0` };
    const { stdout } = run(['my-app', '-t', 'rest-api', '--no-install'], env);
    run(['stripped', '-t', 'values', '--no-install'], env);
    const [packageManager] = userAgent.split('/');
    expect(stdout).toContain(`  ${packageManager} install\n  ${packageManager} run dev\n`);
    expect(await read('my-app/README.md')).toContain(`\n${packageManager} run dev\n`);
    expect(await read('my-app/Dockerfile')).toContain(`${all}\n`);
    expect(await read('stripped/Dockerfile')).toContain(`${production}\n`);
    const others = ['pnpm-workspace.yaml', '.yarnrc.yml'];
    expect((await readdir(join(folder, 'my-app'))).filter((file) => others.includes(file))).toEqual(
      files,
    );
  });

  it('has documents whose commands are those of the package manager', async () => {
    create('my-app', '-t', 'auth', '--package-manager', 'yarn');
    const readme = await read('my-app/README.md');
    expect(readme).toContain('\nyarn install\nyarn run dev\n');
    expect(await read('my-app/AGENTS.md')).toContain(
      '`yarn run typecheck`, `yarn run lint`, `yarn run check`',
    );
    expect(readme).toContain('`yarn add @fairlead/openapi` and `yarn add -D swagger-ui-dist`');
  });

  it('may be the current folder, with an empty repository', async () => {
    const cwd = join(folder, 'my-app');
    await mkdir(join(cwd, '.git'), { recursive: true });
    const { status, stdout } = run(['.', '-t', 'minimal', '--no-install'], {}, cwd);
    expect(status).toBe(0);
    expect(stdout).toContain('Next steps:\n  npm install\n');
    expect(await manifestOf('my-app')).toMatchObject({ name: 'my-app' });
  });

  it('has no repository with --no-git, or in another repository', async () => {
    create('one', '-t', 'minimal', '--no-git');
    expect(await readdir(join(folder, 'one'))).not.toContain('.git');
    create('two', '-t', 'minimal');
    create('two/inner', '-t', 'minimal');
    expect(await readdir(join(folder, 'two'))).toContain('.git');
    expect(await readdir(join(folder, 'two/inner'))).not.toContain('.git');
  });

  it.each([
    ['R&D', 'cd "R&D/my-app"'],
    ['my apps', 'cd "my apps/my-app"'],
    ['my_apps/v1.0', 'cd my_apps/v1.0/my-app'],
  ])('says how to enter it below the folder %s', (parent, command) => {
    expect(create(`${parent}/my-app`, '-t', 'minimal').stdout).toContain(`\n  ${command}\n`);
  });

  it('stays when its dependencies cannot be installed', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'npm'), '#!/bin/sh\nexit 7\n', { mode: 0o755 });
    const { status, stdout, stderr } = run(['my-app', '-t', 'minimal', '--no-git'], { PATH: bin });
    expect(status).toBe(1);
    expect(stderr).toBe("The project exists, but 'npm install' failed: it exited with 7.\n");
    expect(stdout).toContain('  npm install\n');
    expect(await readdir(join(folder, 'my-app'))).toContain('package.json');
  });

  it('installs its dependencies with the package manager', async () => {
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'bun'), '#!/bin/sh\necho "$1 in $PWD"\n', { mode: 0o755 });
    const args = ['my-app', '-t', 'minimal', '--no-git', '--package-manager', 'bun'];
    const { status, stdout } = run(args, { PATH: `${bin}:${process.env.PATH}` });
    expect(status).toBe(0);
    expect(stdout).toContain(`install in ${join(folder, 'my-app')}\n`);
    expect(stdout).toMatch(/Next steps:\n {2}cd my-app\n {2}bun run dev\n/);
  });
});

describe('a refusal', () => {
  const refused = (stderr: string) => ({
    status: 2,
    stdout: '',
    stderr: `create-fairlead: ${stderr}\n`,
  });

  it('names what a folder contains', async () => {
    await mkdir(join(folder, 'my-app/src'), { recursive: true });
    await writeFile(join(folder, 'my-app/.env'), '');
    expect(create('my-app', '-t', 'minimal')).toEqual(
      refused(
        "Cannot create a project in 'my-app': the folder is not empty. It contains .env and 1 more. Choose another folder, or empty it.",
      ),
    );
    expect((await readdir(join(folder, 'my-app'))).toSorted()).toEqual(['.env', 'src']);
  });

  it('finds the folder of a path through one that does not exist', async () => {
    await mkdir(join(folder, 'victim'));
    await writeFile(join(folder, 'victim/package.json'), '{}');
    expect(create('missing/../victim', '-t', 'minimal')).toEqual(
      refused(
        "Cannot create a project in 'missing/../victim': the folder is not empty. It contains package.json. Choose another folder, or empty it.",
      ),
    );
    expect(await readFile(join(folder, 'victim/package.json'), 'utf8')).toBe('{}');
  });

  it.each(['taken', 'taken/my-app'])('names a file: %s', async (path) => {
    await writeFile(join(folder, 'taken'), '');
    expect(create(path, '-t', 'minimal')).toEqual(
      refused(
        `Cannot create a project in '${path}': it is a file, or inside a file. Choose another folder.`,
      ),
    );
  });

  it('names the reason why a folder cannot be read', () => {
    const path = `${'x'.repeat(256)}/my-app`;
    expect(create(path, '-t', 'minimal')).toEqual(
      refused(
        `Cannot create a project in '${path}': ENAMETOOLONG: name too long, scandir '${path}'. Choose another folder.`,
      ),
    );
  });

  it.each([
    [
      'My App',
      'package names consist of lowercase letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
      'my-app',
    ],
    [
      '.app',
      'package names consist of lowercase letters, digits, dots, hyphens and underscores, and begin with a letter or digit',
      'app',
    ],
    ['a'.repeat(215), 'package names have at most 214 characters', 'my-app'],
    ['node_modules', 'npm reserves this name', 'node-modules'],
    ['typescript', 'a dependency of the template has this name', 'my-app'],
  ])('suggests another name than %s', async (name, problem, example) => {
    expect(create(`projects/${name}`, '-t', 'minimal')).toEqual(
      refused(
        `Cannot name the project '${name}': ${problem}. Choose another folder name, such as '${example}'.`,
      ),
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    [[], 'a folder and --template minimal, values, rest-api or auth'],
    [['my-app'], '--template minimal, values, rest-api or auth'],
    [['--template', 'auth'], 'a folder'],
    [['', '--template', 'auth'], 'a folder'],
  ])('says what to pass without a terminal: %j', (args, missing) => {
    expect(run(args)).toEqual(
      refused(
        `Cannot ask questions: this is not a terminal. Pass ${missing}, as in: npm create fairlead@latest my-app -- --template minimal`,
      ),
    );
  });

  it('of an unknown option suggests one', () => {
    expect(create('my-app', '--tempalte', 'auth')).toEqual(
      refused('Unknown option --tempalte. Did you mean --template?'),
    );
  });
});

it('says which file cannot be written', async () => {
  await symlink('missing/folder', join(folder, 'my-app'));
  const { status, stderr } = create('my-app', '-t', 'minimal');
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^create-fairlead: Cannot write the project: E[A-Z]+: .* 'my-app.*'\. Delete what was written, and choose a folder that you can write to\.\n$/,
  );
});

it('prints its options and templates', () => {
  const { status, stdout, stderr } = run(['--help']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(
    /^Creates a project .*--template <name>.* minimal .* values .* rest-api .* auth .*--no-install .*--no-git .*--help .*--version /s,
  );
});

it('prints its version', async () => {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  expect(run(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});
