import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, inject, it, type TestContext } from 'vitest';
import { createProject, install, run, withoutSqliteWarning, workspace } from './support/project.js';

const tarballs = inject('tarballs');
let root: string;
let program: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-create-'));
  const tool = join(root, 'tool');
  await createProject(tool);
  await install(tool, [tarballs['create-fairlead'] ?? 'create-fairlead']);
  program = join(tool, 'node_modules/.bin/create-fairlead');
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Creates a project, and installs its dependencies with the packed packages. */
async function create(
  { expect }: TestContext,
  template: string,
  packageManager: string,
  project = join(root, template),
): Promise<string> {
  const flags = ['--package-manager', packageManager, '--no-install'];
  await run(program, [project, '--template', template, ...flags], root);
  const manifest = await readManifest(project);
  for (const group of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, range] of Object.entries<string>(group)) {
      const [, folder = ''] = /^(?:@fairlead\/)?(.+)$/.exec(name) ?? [];
      if (!name.startsWith('@fairlead/') && name !== 'fairlead') continue;
      const { version } = await readManifest(join(workspace, 'packages', folder));
      expect(`${name}@${range}`).toBe(`${name}@^${version}`);
      group[name] = `file:${tarballs[folder]}`;
    }
  }
  // That of the command line, too, which depends on it.
  const serve = { '@fairlead/serve': `file:${tarballs.serve}` };
  if (packageManager === 'pnpm') {
    await appendFile(join(project, 'pnpm-workspace.yaml'), `overrides: ${JSON.stringify(serve)}\n`);
  } else if (packageManager === 'bun') manifest.overrides = serve;
  await writeFile(join(project, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const options = packageManager === 'npm' ? ['--no-audit', '--no-fund'] : [];
  await run(packageManager, ['install', '--prefer-offline', ...options], project);
  return project;
}

async function readManifest(folder: string) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/**
 * Adds the route that the project's AGENTS.md shows. Then lints, type-checks, tests and builds the project. Rejects with
 * the output of a script that fails.
 */
async function check(project: string, packageManager: string): Promise<void> {
  await addRoute(project);
  const { scripts } = await readManifest(project);
  const offline = ['check', 'routes', 'openapi'];
  const checks = ['lint', 'typecheck', ...offline, 'test', 'build'].filter(
    (name) => name in scripts,
  );
  for (const script of checks) {
    await run(packageManager, ['run', script], project).catch(({ stdout, stderr }) => {
      throw new Error(`${packageManager} run ${script} failed in ${project}:\n${stdout}${stderr}`);
    });
  }
}

/** Writes the files that the project's AGENTS.md shows. */
async function addRoute(project: string): Promise<void> {
  const text = await readFile(join(project, 'AGENTS.md'), 'utf8');
  for (const [, code = '', file = ''] of text.matchAll(/^```ts\n(\/\/ (\S+)\n.*?)^```$/gms)) {
    // The first line is the name of the file.
    await writeFile(join(project, file), code.replace(/^.*\n/, ''));
  }
}

/** Changes a file of a project as its README shows. */
async function applyDiffs(project: string, file: string): Promise<void> {
  const readme = await readFile(join(project, 'README.md'), 'utf8');
  let source = await readFile(join(project, file), 'utf8');
  for (const [, diff = ''] of readme.matchAll(/^```diff\n(.*?)^```/gms)) {
    const before = diff.replace(/^\+.*\n/gm, '').replace(/^ /gm, '');
    if (!source.includes(before)) throw new Error(`${file} has no such lines:\n${before}`);
    source = source.replace(before, () => diff.replace(/^[ +]/gm, ''));
  }
  await writeFile(join(project, file), source);
}

/**
 * Starts a script of a project on a free port, without the environment of this test.
 *
 * @param script - `start`, `dev`, or what such a script could contain.
 * @param node - The path of the Node.js that runs it.
 */
async function start(
  { onTestFinished }: TestContext,
  project: string,
  script: string,
  node = process.execPath,
) {
  const { scripts } = await readManifest(project);
  const [, ...args] = (scripts[script] ?? script).split(' ');
  const child = spawn(node, args, {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its process group also contains the process that `node --watch-path` restarts.
    detached: true,
  });
  const stderr = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => ({
    code,
    signal,
    stderr: withoutSqliteWarning(await stderr),
  }));
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGKILL');
    await ended;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Resolves to the URL of the next start. Rejects when the process ends before. */
    async nextUrl(): Promise<string> {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`The process ended: ${JSON.stringify(await ended)}`);
        const [url] = /http:\/\/localhost:\d+/.exec(value) ?? [];
        if (url !== undefined) return url;
      }
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const STOPPED = { code: 0, signal: null, stderr: '' };

/** Sends JSON, and returns the status and the body. */
async function send(url: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, {
    ...init,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return [response.status, JSON.parse(await response.text())];
}

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

it.concurrent.for(['22.18.0', '24', '26'])(
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

it.concurrent('auth, with pnpm', async (context) => {
  const { expect } = context;
  const project = await create(context, 'auth', 'pnpm');
  // As its README says.
  await run('pnpm', ['add', '--prefer-offline', `file:${tarballs.openapi}`], project);
  await run('pnpm', ['add', '--prefer-offline', '-D', 'swagger-ui-dist'], project);
  await applyDiffs(project, 'src/app.ts');
  await check(project, 'pnpm');
  const service = await start(context, project, 'start');
  const url = await service.nextUrl();
  const secrets = await readFile(join(project, '.env'), 'utf8');
  const [, email, password] = /ADMIN_EMAIL=(.*)\nADMIN_PASSWORD=(.*)\n/.exec(secrets) ?? [];
  const [status, { token }] = await send(`${url}/tokens`, { email, password });
  expect(status).toBe(201);
  const headers = { Authorization: `Bearer ${token}` };
  const accounts = [{ id: 1, email, role: 'admin' }];
  expect(await send(`${url}/accounts`, undefined, headers)).toEqual([200, accounts]);
  expect(await send(`${url}/accounts`)).toMatchObject([401, { code: 'TOKEN_REQUIRED' }]);
  expect(await (await fetch(`${url}/docs`)).text()).toContain('swagger-ui');
  expect(await service.stop()).toEqual(STOPPED);
});

it.concurrent('rest-api, with bun', async (context) => {
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
}
`;
  await writeFile(join(project, 'src/controllers/hello-controller.ts'), controller);
  const after = await dev.nextUrl();
  expect(await send(`${after}/api/hello`)).toEqual([200, 'Hello!']);
  expect(await dev.stop()).toMatchObject({ code: 0 });
});

it('counts at most 400 lines of source, tests and configuration in rest-api', async ({
  expect,
}) => {
  await run(program, ['counted', '-t', 'rest-api', '--no-install', '--no-git'], root);
  const entries = await readdir(join(root, 'counted'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.md'));
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  expect((await Promise.all(texts)).join('').split('\n').length - 1).toBeLessThanOrEqual(400);
});
