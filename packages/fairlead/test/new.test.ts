import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATS } from './support/fixtures.js';
import { writeProject } from './support/project.js';

const MANIFEST = JSON.stringify({
  type: 'module',
  dependencies: { '@fairlead/core': '*', '@fairlead/controllers': '*' },
});

describe('fairlead new', () => {
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
    ['controller', true],
    ['plugin', true],
    ['guard', false],
  ])('says that new routes need access where it is declared: %s', async (kind, needed) => {
    const { run } = await writeProject({
      'package.json': MANIFEST,
      'src/app.js':
        "import { createApp } from '@fairlead/core';\nexport default () => createApp({ access: 'declared' });\n",
    });
    const { stdout } = await run('new', kind, 'audit');
    const line =
      "\nSay who may call its routes, because src/app.js has access: 'declared': add a guard, or if everyone may, public: 'a reason'.\n";
    expect(stdout.endsWith(line)).toBe(needed);
  });

  it.each([
    ['ts', { rewriteRelativeImportExtensions: true }, 'node dist/main.js'],
    ['ts', { allowImportingTsExtensions: true }, 'node dist/main.js'],
    ['ts', {}, 'node --watch src/main.ts'],
    ['js', {}, 'node --import @oxc-node/core/register src/main.ts'],
  ])(
    'without imports to follow, prints one of .%s for %j and %s',
    async (extension, compilerOptions, start) => {
      const { run } = await writeProject({
        'package.json': JSON.stringify({ ...JSON.parse(MANIFEST), scripts: { start } }),
        'tsconfig.json': JSON.stringify({ compilerOptions }),
        'src/main.ts':
          "import { createApp } from '@fairlead/core';\nexport default () => createApp();\n",
      });
      expect((await run('new', 'middleware', 'audit')).stdout).toContain(
        `import { audit } from './middleware/audit-middleware.${extension}'`,
      );
    },
  );

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
