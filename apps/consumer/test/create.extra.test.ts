import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { check, create, root, tarballs } from './support/created.js';
import { run, workspace } from './support/project.js';

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
