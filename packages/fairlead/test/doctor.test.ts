import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { writeProject } from './support/project.js';

const json = JSON.stringify;
const dependencies = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, '*']));
/** A package of a fake installation. */
const installed = (name: string, version: string, rest: object = {}, below = '') => ({
  [`${below}node_modules/${name}/package.json`]: json({ name, version, ...rest }),
});

/** Removes what Node.js 20 does not have. */
const NODE_20 = `Object.defineProperties(process, {
  version: { value: 'v20.19.0' },
  versions: { value: { ...process.versions, node: '20.19.0' } },
});
for (const owner of [Map, Object]) delete owner.groupBy;
delete Array.fromAsync;
delete Promise.withResolvers;`;

describe('fairlead doctor', () => {
  it('finds nothing wrong with a project that works', async () => {
    const { run } = await writeProject({
      ...CATS,
      'package.json': json({
        type: 'module',
        scripts: { dev: 'node --import @oxc-node/core/register src/app.ts' },
        dependencies: dependencies('@fairlead/core', '@fairlead/controllers', '@fairlead/di'),
      }),
    });
    expect(await run('doctor')).toEqual({
      status: 0,
      stdout: `ok       Node.js
ok       packages
ok       versions
ok       copies
ok       peers
ok       compiler options
`,
      stderr: '',
    });
  });

  it('runs on a Node.js that is too old, unlike the other commands', async () => {
    const files = {
      ...CATS,
      'package.json': json({ type: 'module', dependencies: dependencies('@fairlead/core') }),
      'node-20.mjs': NODE_20,
    };
    const { run } = await writeProject(files, { NODE_OPTIONS: '--import=./node-20.mjs' });
    const { status, stdout, stderr } = await run('doctor');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toBe(`\
problem  Node.js: v20.19.0 is not supported. Install Node.js 22.16 or newer, or 24.
ok       packages
ok       versions
ok       copies
ok       peers
ok       compiler options
`);
    expect(await run('routes')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Fairlead needs Node.js 22.16 or newer: this is 20.19.0.\n',
    });
  });

  it('finds missing packages and peers, different versions, and two copies', async () => {
    const files = {
      'package.json': json({
        dependencies: dependencies('@fairlead/core', '@fairlead/jwt', '@fairlead/di'),
      }),
      ...installed('@fairlead/core', '0.2.0'),
      ...installed('@fairlead/jwt', '0.1.0', {
        dependencies: { '@fairlead/core': '^0.1.0' },
        peerDependencies: { jose: '*', pino: '*' },
        peerDependenciesMeta: { pino: { optional: true } },
      }),
      ...installed('@fairlead/core', '0.1.0', {}, 'node_modules/@fairlead/jwt/'),
    };
    // import() does not look there.
    const env = { NODE_PATH: join(import.meta.dirname, '../node_modules') };
    const { run } = await writeProject(files, env);
    const { status, stdout } = await run('doctor');
    expect(status).toBe(1);
    expect(stdout).toBe(`ok       Node.js
problem  packages: @fairlead/di is not installed. Run the install command of your package manager.
problem  versions: the packages have different versions: 0.2.0 (@fairlead/core) and 0.1.0 (@fairlead/jwt, @fairlead/core). Run npx fairlead upgrade.
problem  copies: @fairlead/core is installed more than once: node_modules/@fairlead/core and node_modules/@fairlead/jwt/node_modules/@fairlead/core. To fix it, install one version of @fairlead/core. \`npm ls @fairlead/core\` shows which packages need which version, and \`npm dedupe\` removes unnecessary copies.
problem  peers: @fairlead/jwt needs jose, which is not installed. Run npm install jose.
ok       compiler options
`);
  });

  it('finds what cannot compile or run decorators', async () => {
    const { run } = await writeProject({
      ...CATS,
      'package.json': json({
        scripts: { dev: 'node --watch src/main.ts', start: 'node dist/main.js' },
        dependencies: dependencies('@fairlead/core'),
      }),
      'tsconfig.json': '{ "extends": "./base.json" }',
      'base.json': '{ "compilerOptions": { "moduleResolution": "node10" } } // Comments are fine.',
    });
    const { status, stdout } = await run('doctor', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout).at(-1)).toEqual({
      name: 'compiler options',
      problems: [
        'tsconfig.json sets moduleResolution to node10, which finds no modules such as @fairlead/core/extend. Set module and moduleResolution to NodeNext.',
        'src/controllers/cats-controller.ts has decorators, but tsconfig.json does not set experimentalDecorators. Set it to true.',
        'the script dev runs TypeScript, but Node.js cannot run the decorators in src/controllers/cats-controller.ts. Add --import @oxc-node/core/register.',
      ],
      warnings: [
        'tsconfig.json does not set emitDecoratorMetadata, so classes cannot be injected by their types. Set it to true, or write static inject.',
      ],
    });
  });

  it('only warns about a tool that emits no types', async () => {
    const { run } = await writeProject({
      ...CATS,
      'package.json': json({
        scripts: { dev: 'tsx watch src/main.ts' },
        dependencies: dependencies('@fairlead/core'),
      }),
    });
    const { status, stdout } = await run('doctor');
    expect(status).toBe(0);
    expect(stdout).toContain(
      '\nwarning  compiler options: the script dev runs tsx, which emits no types, so classes cannot be injected by their types. Use node --import @oxc-node/core/register, or write static inject.\n',
    );
  });

  it('leaves out hidden files, such as links to nothing by which an editor locks files', async () => {
    const { folder, run } = await writeProject({ 'src/app.ts': '' });
    await symlink('ada@host.1234', join(folder, 'src/.#app.ts'));
    const { stdout, stderr } = await run('doctor');
    expect(stdout).toContain('\nok       compiler options\n');
    expect(stderr).toBe('');
  });

  it('needs a project', async () => {
    const { folder, run } = await writeProject({});
    expect((await run('doctor')).stdout).toContain(
      'problem  packages: package.json has no @fairlead packages. Run npm install @fairlead/core.',
    );
    await rm(join(folder, 'package.json'));
    expect(await run('doctor')).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: There is no package.json in ${folder}. Run fairlead in the folder of a project.\n`,
    });
  });
});
