import { spawnSync } from 'node:child_process';
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
});
