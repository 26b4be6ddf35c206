import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { check, create, root, STOPPED, send, start, tarballs } from './support/created.js';
import { run, workspace } from './support/project.js';

it.concurrent('minimal, with npm', async (context) => {
  const { expect } = context;
  const project = await create(context, 'minimal', 'npm');
  await check(project, 'npm');
  expect(await readdir(join(project, 'src'))).toHaveLength(1);
  const service = await start(context, project, 'start');
  const url = await service.nextUrl();
  expect(await send(`${url}/hello/Ada`)).toEqual([200, { message: 'Hello, Ada!' }]);
  expect(await service.stop()).toEqual(STOPPED);
});

it.concurrent('values, with npm, without development dependencies', async (context) => {
  const { expect } = context;
  const project = await create(context, 'values', 'npm');
  await check(project, 'npm');
  await run('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], project);
  expect(await readdir(join(project, 'node_modules'))).not.toContain('typescript');
  const [, key] = (await readFile(join(project, '.env'), 'utf8')).trim().split('=');
  const headers = { Authorization: `Bearer ${key}` };
  for (const script of ['start', 'node --env-file-if-exists=.env dist/main.js']) {
    const service = await start(context, project, script);
    const url = await service.nextUrl();
    expect(await send(`${url}/api/notes`, { text: 'Buy milk' })).toMatchObject([401, {}]);
    const [status, note] = await send(`${url}/api/notes`, { text: 'Buy milk' }, headers);
    expect(status).toBe(201);
    expect(await send(`${url}/api/notes`)).toEqual([200, [note]]);
    expect(await send(`${url}/health/ready`)).toMatchObject([200, { status: 'ready' }]);
    expect(await service.stop()).toEqual(STOPPED);
  }

  const dev = await start(context, project, 'dev');
  expect((await fetch(`${await dev.nextUrl()}/api/hello`)).status).toBe(404);
  const controller = `import { defineController } from '@fairlead/controllers';

export const hello = defineController('/hello', {
  routes: ({ get }) => ({ read: get('/', (): string => 'Hello!') }),
});
`;
  await writeFile(join(project, 'src/controllers/hello.ts'), controller);
  expect(await send(`${await dev.nextUrl()}/api/hello`)).toEqual([200, 'Hello!']);
  expect(await dev.stop()).toMatchObject({ code: 0 });
});

it.concurrent('rest-api --database postgres, with npm', async (context) => {
  await check(await create(context, 'rest-api --database postgres', 'npm'), 'npm');
});

it.concurrent('rest-api --auth, as the tutorial creates it before a release', async ({
  expect,
}) => {
  const tutorial = await readFile(join(workspace, 'docs/tutorial/README.md'), 'utf8');
  const [, commands = ''] = /^```sh\n(node ~.*?)npm run dev\n```$/ms.exec(tutorial) ?? [];
  const { 'create-fairlead': _, ...packed } = tarballs;
  const script = commands
    .replace('~/fairlead', workspace)
    .replace('/tmp/fairlead/*.tgz', Object.values(packed).join(' '));
  await run('sh', ['-ec', script], root);
  await expect(check(join(root, 'rooms'), 'npm')).resolves.toBeUndefined();
});
