import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { LOADER, type Project, writeProject } from './support/project.js';

const KINDS = ['controller', 'middleware', 'guard', 'plugin'];
const MANIFEST = JSON.stringify({
  type: 'module',
  dependencies: { '@fairlead/core': '*', '@fairlead/controllers': '*' },
});
const STRICT = {
  strict: true,
  noUnusedLocals: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  isolatedModules: true,
  rewriteRelativeImportExtensions: true,
  types: ['node'],
  target: 'ES2022',
  module: 'NodeNext',
  noEmit: true,
};
const TSCONFIG = JSON.stringify({ compilerOptions: STRICT, include: ['src'] });

/** An application whose controllers are values, with imports of .ts files. */
const VALUES = {
  'src/app.ts': `import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
import { nothing } from './nothing.ts';

export async function createNotesApp() {
  const router = createRouter();
  const root = new URL('./notes/', import.meta.url);
  const app = createApp();
  await app.plugin(controllersPlugin({ router, root, container: createContainer(), strict: true }));
  return app.route('/', router).get('/nothing', () => nothing);
}
`,
  'src/nothing.ts': 'export const nothing = null;\n',
  'src/notes/notes.ts': `import { defineController } from '@fairlead/controllers';
export const notes = defineController('/notes', { routes: ({ get }) => ({ list: get('/', () => []) }) });
`,
};

/** Returns what the compiler reports. */
function compile({ folder }: Project): string {
  const tsc = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
}

describe('fairlead new', () => {
  it('creates classes in a project with classes, which compile and are discovered', async () => {
    const project = await writeProject({
      ...CATS,
      'package.json': MANIFEST,
      'tsconfig.json': TSCONFIG,
    });
    expect(await project.run('new', 'controller', 'UserProfiles')).toEqual({
      status: 0,
      stdout: `Created src/controllers/user-profiles-controller.ts.
Unless root of controllersPlugin() covers the file, register it:
  import { UserProfilesController } from './controllers/user-profiles-controller.js';
  registerController(router, UserProfilesController, { container });
`,
      stderr: '',
    });
    expect((await project.run('new', 'middleware', 'audit')).stdout).toBe(
      `Created src/middleware/audit-middleware.ts.
To use it:
  import { Audit } from './middleware/audit-middleware.js';
  @UseMiddleware(Audit)
`,
    );
    expect((await project.run('new', 'guard', 'is-admin')).stdout).toContain('@UseGuard(IsAdmin)');
    expect((await project.run('new', 'plugin', 'status')).stdout).toContain(
      'await app.plugin(status());',
    );
    expect(compile(project)).toBe('');
    expect((await project.run('check', ...LOADER)).stdout).toBe('4 routes, no problems.\n');
  });

  it('creates values beside those of the project, with its names and imports', async () => {
    const project = await writeProject({
      ...VALUES,
      'package.json': MANIFEST,
      'tsconfig.json': TSCONFIG,
    });
    const created = [];
    for (const kind of KINDS) created.push((await project.run('new', kind, 'my-tasks')).stdout);
    expect(created).toEqual([
      `Created src/notes/my-tasks.ts.
Unless root of controllersPlugin() covers the file, register it:
  import { myTasks } from './notes/my-tasks.ts';
  registerController(router, myTasks, { container });
`,
      `Created src/middleware/my-tasks.ts.
To use it:
  import { myTasks } from './middleware/my-tasks.ts';
  app.use(myTasks());
`,
      `Created src/guards/my-tasks.ts.
To use it:
  import { myTasks } from './guards/my-tasks.ts';
  guards: [myTasks]
`,
      `Created src/plugins/my-tasks.ts.
To use it:
  import { myTasks } from './plugins/my-tasks.ts';
  await app.plugin(myTasks());
`,
    ]);
    expect(compile(project)).toBe('');
    expect((await project.run('check')).stdout).toBe('4 routes, no problems.\n');
  });

  it('creates JavaScript in a project without TypeScript', async () => {
    const { folder, run } = await writeProject({
      'package.json': MANIFEST,
      'src/app.js': `import { registerController } from '@fairlead/controllers';
import { createApp, createRouter } from '@fairlead/core';
import { createContainer } from '@fairlead/di';
const router = createRouter();
const load = async (name) => Object.values(await import(\`./\${name}.js\`))[0];
export default async () => {
  const container = createContainer();
  const guards = [await load('guards/a-guard')];
  registerController(router, await load('controllers/a-controller'), { container, guards });
  const app = createApp().use((await load('middleware/a-middleware'))());
  await app.plugin((await load('plugins/status-plugin'))());
  return app.route('/', router);
};`,
    });
    await rm(join(folder, 'tsconfig.json'));
    for (const kind of ['controller', 'middleware', 'guard']) await run('new', kind, 'a');
    await run('new', 'plugin', 'status');
    expect(await readFile(join(folder, 'src/middleware/a-middleware.js'), 'utf8')).not.toContain(
      'import',
    );
    expect(await run('check')).toEqual({
      status: 0,
      stdout: '3 routes, no problems.\n',
      stderr: '',
    });
    expect(await run('fetch', '/a/7')).toMatchObject({ status: 1, stderr: '403 Forbidden\n' });
    expect((await run('fetch', '/a/7', '-H', 'Authorization: x')).stdout).toBe('{"id":"7"}');
  });

  it.each([
    [['controler', 'x'], "Cannot create 'controler'. Did you mean controller?"],
    [
      ['service', 'x'],
      "Cannot create 'service'. Use one of: controller, middleware, guard, plugin.",
    ],
    [
      ['guard', '7'],
      "Cannot use the name '7'. Use words joined by hyphens, such as user-profiles.",
    ],
    [
      ['guard', '../x'],
      "Cannot use the name '../x'. Use words joined by hyphens, such as user-profiles.",
    ],
    [['controller', 'cats'], 'src/controllers/cats-controller.ts exists. Use another name.'],
  ])('exits with 2 when it is wrong: %j', async (args, message) => {
    const { run } = await writeProject({ ...CATS, 'package.json': MANIFEST });
    expect(await run('new', ...args)).toEqual({
      status: 2,
      stdout: '',
      stderr: `fairlead: ${message}\n`,
    });
  });

  it('needs a project with the package that it uses', async () => {
    const { run } = await writeProject({ ...CATS });
    expect((await run('new', 'guard', 'x')).stderr).toBe(
      'fairlead: A guard needs @fairlead/controllers. Run npm install @fairlead/controllers.\n',
    );
  });
});
