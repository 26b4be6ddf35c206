import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'vitest';
import {
  check,
  create,
  manage,
  root,
  STOPPED,
  send,
  start,
  startPostgres,
  tarballs,
} from './support/created.js';
import { run, workspace } from './support/project.js';

const FAILING =
  "import { inject, it } from 'vitest';\nit('fails', ({ expect }) => expect(1).toBe(2));\n";

// The longest tests come first, because five run at a time.
it.concurrent('rest-api, with PostgreSQL, sign-in, jobs and pnpm', async (context) => {
  const { expect } = context;
  const project = await create(context, 'rest-api --database postgres --auth --jobs', 'pnpm');
  await check(project, 'pnpm');
  // The package that starts PostgreSQL must not hide a failure.
  await writeFile(join(project, 'test/fails.test.ts'), FAILING);
  await expect(run('pnpm', ['run', 'test', 'fails'], project)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('1 failed'),
  });
  await signIn(context, project, await startPostgres(context, project));
});

/** Starts a project with accounts, signs in as its administrator, and creates a task. */
async function signIn(context: TestContext, project: string, databaseUrl?: string) {
  const { expect } = context;
  const env = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const service = await start(context, project, 'start', process.execPath, env);
  const url = await service.nextUrl();
  const secrets = await readFile(join(project, '.env'), 'utf8');
  const [, email, password] = /ADMIN_EMAIL=(.*)\nADMIN_PASSWORD=(.*)\n/.exec(secrets) ?? [];
  const [status, { token }] = await send(`${url}/api/tokens`, { email, password });
  expect(status).toBe(201);
  const headers = { Authorization: `Bearer ${token}` };
  const accounts = [{ id: 1, email, role: 'admin' }];
  expect(await send(`${url}/api/accounts`, undefined, headers)).toEqual([200, accounts]);
  expect(await send(`${url}/api/accounts`)).toMatchObject([401, { code: 'TOKEN_REQUIRED' }]);
  const [, task] = await send(`${url}/api/tasks`, { title: 'Buy milk' }, headers);
  expect(await send(`${url}/api/tasks`, undefined, headers)).toEqual([200, [task]]);
  expect(await send(`${url}/health/ready`)).toMatchObject([200, { status: 'ready' }]);
  expect(await service.stop()).toEqual(STOPPED);
}

it.concurrent('values, with PostgreSQL, sign-in and pnpm', async (context) => {
  const { expect } = context;
  const project = await create(context, 'values --database postgres --auth', 'pnpm');
  await check(project, 'pnpm');
  // The program that starts PostgreSQL must not hide a failure.
  await writeFile(join(project, 'test/fails.test.ts'), 'throw new Error();\n');
  await expect(run('pnpm', ['run', 'test'], project)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('fail 1'),
  });
  await signIn(context, project, await startPostgres(context, project));
});

it.concurrent('values, with SQLite, sign-in, jobs and bun', async (context) => {
  const project = await create(context, 'values --auth --jobs', 'bun');
  await check(project, 'bun');
  await signIn(context, project);
});

it.concurrent("values --auth, with Yarn, also with Plug'n'Play", async (context) => {
  const { expect } = context;
  const project = await create(context, 'values --auth', 'yarn', join(root, 'yarn-values'));
  await check(project, 'yarn');
  expect((await run('git', ['status', '--short'], project)).stdout).not.toContain('.yarn/');
  await writeFile(join(project, '.yarnrc.yml'), 'nodeLinker: pnp\n');
  await manage('yarn', ['install'], project);
  expect(await readdir(project)).not.toContain('node_modules');
  await manage('yarn', ['run', 'check'], project);
  await manage('yarn', ['run', 'test'], project);
  const { stdout } = await manage('yarn', ['fairlead', 'doctor'], project);
  expect(stdout).toMatch(/^(?:ok .*\n){6}$/);
});

it.concurrent.for([
  'values --database postgres',
  'values --database postgres --jobs',
  'values --database postgres --auth --jobs',
  'values --jobs',
  'rest-api --jobs',
  'rest-api --auth --jobs',
  'rest-api --database postgres --jobs',
])('%s, with npm', async (options, context) => {
  await check(await create(context, options, 'npm'), 'npm');
});

it.concurrent('values --database sqlite, with npm', async (context) => {
  await check(await create(context, 'values --database sqlite', 'npm'), 'npm');
});

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
  @Get('/', { public: 'It says hello.' })
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
  for (const script of ['start', 'node dist/main.js']) {
    const service = await start(context, project, script);
    const url = await service.nextUrl();
    expect(await send(`${url}/api/tasks`, { title: 'Buy milk' })).toMatchObject([401, {}]);
    const [status, task] = await send(`${url}/api/tasks`, { title: 'Buy milk' }, headers);
    expect(status).toBe(201);
    expect(await send(`${url}/api/tasks`)).toEqual([200, [task]]);
    expect(await send(`${url}/health/ready`)).toMatchObject([200, { status: 'ready' }]);
    expect(await service.stop()).toEqual(STOPPED);
  }

  const dev = await start(context, project, 'dev');
  expect((await fetch(`${await dev.nextUrl()}/api/hello`)).status).toBe(404);
  const controller = `import { defineController } from '@fairlead/controllers';

export const hello = defineController('/hello', {
  routes: ({ get }) => ({ read: get('/', { public: 'It says hello.' }, (): string => 'Hello!') }),
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
