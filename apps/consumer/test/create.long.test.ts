import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { check, create, program, root, STOPPED, send, start } from './support/created.js';
import { createProject, run } from './support/project.js';

it.concurrent('rest-api, with SQLite and bun', async (context) => {
  const { expect } = context;
  const project = await create(context, 'rest-api', 'bun');
  await check(project, 'bun');
  const document = JSON.parse(await readFile(join(project, 'openapi.json'), 'utf8'));
  expect(Object.keys(document.paths)).toEqual(['/api/tags', '/api/tasks', '/api/tasks/{id}']);
  const readme = await readFile(join(project, 'README.md'), 'utf8');
  const [, loader = ''] =
    /`npx fairlead client (--import \S+) --out \S+ --watch`/.exec(readme) ?? [];
  const args = ['client', ...loader.split(' '), '--out', 'dist/api.ts'];
  await run(join(project, 'node_modules/.bin/fairlead'), args, project);
  expect(await readFile(join(project, 'dist/api.ts'), 'utf8')).toContain('/api/tasks');
  // The tests use another folder.
  await expect(access(join(project, 'data'))).rejects.toThrow('ENOENT');
  const service = await start(context, project, 'start');
  const url = await service.nextUrl();
  const [status, task] = await send(`${url}/api/tasks`, { title: 'Buy milk' });
  expect(status).toBe(201);
  expect(await send(`${url}/api/tasks`)).toEqual([200, [task]]);
  expect(await (await fetch(`${url}/docs`)).text()).toContain('swagger-ui');
  expect(await service.stop()).toEqual(STOPPED);

  const dev = await start(context, project, 'dev');
  const before = await dev.nextUrl();
  expect((await fetch(`${before}/api/hello`)).status).toBe(404);
  expect(await send(`${before}/api/tasks`, { title: 'Call Bob' })).toMatchObject([201, { id: 2 }]);
  const controller = `import { Controller, Get } from '@fairlead/controllers';

@Controller('/hello')
export class HelloController {
  @Get()
  read() {
    return 'Hello!';
  }

  // The plugin warns about it, in the log of the service.
  onModuleInit() {}
}
`;
  await writeFile(join(project, 'src/controllers/hello-controller.ts'), controller);
  const after = await dev.nextUrl();
  expect(await send(`${after}/api/hello`)).toEqual([200, 'Hello!']);
  const { code, stderr } = await dev.stop();
  expect(code).toBe(0);
  expect(stderr).not.toContain('onModuleInit');
});

it.concurrent.for([...inject('nodeVersions')])(
  'minimal and values run and pass their tests on Node.js %s',
  async (version, context) => {
    const { expect } = context;
    const folder = join(root, `node-${version}`);
    await createProject(folder);
    const flags = ['--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, `node@${version}`], folder);
    const node = join(folder, 'node_modules/node/bin/node');
    for (const [template, path] of [
      ['minimal', '/hello/Ada'],
      ['values', '/api/notes'],
    ] as const) {
      const project = await create(context, template, 'npm', join(folder, template));
      await run(node, ['--test'], project);
      const service = await start(context, project, 'start', node);
      expect((await fetch(`${await service.nextUrl()}${path}`)).status).toBe(200);
      expect(await service.stop()).toEqual(STOPPED);
    }
  },
);

it('counts at most 400 lines of source, tests and configuration in rest-api', async ({
  expect,
}) => {
  await run(program, ['counted', '-t', 'rest-api', '--no-install', '--no-git'], root);
  const entries = await readdir(join(root, 'counted'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.md'));
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  expect((await Promise.all(texts)).join('').split('\n').length - 1).toBeLessThanOrEqual(400);
});
