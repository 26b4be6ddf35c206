import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, inject, type TestContext } from 'vitest';
import { createProject, install, run, withoutSqliteWarning, workspace } from './project.js';

export const tarballs = inject('tarballs');
/** A folder for projects, of the test file that imports this module. */
export let root: string;
export let program: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-create-'));
  // If root runs the tests, another user runs PostgreSQL, from the folder of a project.
  await chmod(root, 0o755);
  const tool = join(root, 'tool');
  await createProject(tool);
  await install(tool, [tarballs['create-fairlead'] ?? 'create-fairlead']);
  program = join(tool, 'node_modules/.bin/create-fairlead');
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Settings under which pnpm gives packages nothing that they do not depend on, and installs no peers. */
const STRICT_PNPM = 'autoInstallPeers: false\nstrictPeerDependencies: true\nhoist: false\n';

let yarn: Promise<string> | undefined;

/** Returns the program of a package manager. Installs Yarn, which the machine may lack. */
function programOf(packageManager: string): Promise<string> | string {
  if (packageManager !== 'yarn') return packageManager;
  const folder = join(root, 'yarn');
  yarn ??= createProject(folder)
    .then(() => install(folder, ['@yarnpkg/cli-dist']))
    .then(() => join(folder, 'node_modules/.bin/yarn'));
  return yarn;
}

/** Runs a package manager in a project. */
export async function manage(packageManager: string, args: readonly string[], project: string) {
  const env = { ...process.env, YARN_ENABLE_TELEMETRY: '0', YARN_ENABLE_IMMUTABLE_INSTALLS: '0' };
  return run(await programOf(packageManager), args, project, { env });
}

/**
 * Creates a project, and installs its dependencies with the packed packages.
 *
 * @param options - The name of a template, and the options that choose what is in it.
 */
export async function create(
  { expect }: TestContext,
  options: string,
  packageManager: string,
  project = join(root, options.replaceAll(' ', '')),
): Promise<string> {
  const flags = ['--package-manager', packageManager, '--no-install'];
  await run(program, [project, '--template', ...options.split(' '), ...flags], root);
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
    const settings = `${STRICT_PNPM}overrides: ${JSON.stringify(serve)}\n`;
    await appendFile(join(project, 'pnpm-workspace.yaml'), settings);
  } else if (packageManager === 'bun') manifest.overrides = serve;
  else if (packageManager === 'yarn') manifest.resolutions = serve;
  await writeFile(join(project, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const quiet = packageManager === 'npm' ? ['--no-audit', '--no-fund'] : [];
  const settings = packageManager === 'yarn' ? [] : ['--prefer-offline', ...quiet];
  await manage(packageManager, ['install', ...settings], project);
  return project;
}

async function readManifest(folder: string) {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}

/**
 * Adds the route that the project's AGENTS.md shows. Then lints the project, with the files that its scripts write,
 * type-checks, tests and builds it. Rejects with the output of a script that fails.
 */
export async function check(project: string, packageManager: string): Promise<void> {
  await addRoute(project);
  const { scripts } = await readManifest(project);
  const offline = ['check', 'routes', 'openapi'];
  const checks = [...offline, 'lint', 'typecheck', 'test', 'build'].filter(
    (name) => name in scripts,
  );
  for (const script of checks) {
    await manage(packageManager, ['run', script], project).catch(({ stdout, stderr }) => {
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

/**
 * Starts a script of a project on a free port, without the environment of this test.
 *
 * @param script - `start`, `dev`, or what such a script could contain.
 * @param node - The path of the Node.js that runs it.
 */
export async function start(
  { onTestFinished }: TestContext,
  project: string,
  script: string,
  node = process.execPath,
  env: NodeJS.ProcessEnv = {},
) {
  const { scripts } = await readManifest(project);
  const [, ...args] = (scripts[script] ?? script).split(' ');
  const child = spawn(node, args, {
    cwd: project,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
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

/** How a process ends that was stopped. */
export const STOPPED = { code: 0, signal: null, stderr: '' };

/** Sends JSON, and returns the status and the body. */
export async function send(
  url: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, {
    ...init,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  return [response.status, JSON.parse(await response.text())];
}

/** Starts PostgreSQL as the tests of a project do. Returns its URL. */
export async function startPostgres(
  { onTestFinished }: TestContext,
  project: string,
): Promise<string> {
  const module = await import(join(project, 'test/postgres.ts'));
  const { url, stop } = await module.startPostgres();
  onTestFinished(stop);
  return url;
}
