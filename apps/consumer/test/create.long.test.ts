import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { create, program, root, STOPPED, start } from './support/created.js';
import { createProject, run } from './support/project.js';

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
      ['values', '/api/tasks'],
    ] as const) {
      const project = await create(context, template, 'npm', join(folder, template));
      await run(node, ['--test', 'test/*.test.ts'], project);
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
