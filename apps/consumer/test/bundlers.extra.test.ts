import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { entriesOf, librariesOf } from './support/entries.js';
import { packages } from './support/packages.js';
import {
  createProject,
  here,
  install,
  installedVersion,
  run,
  runTsc,
  workspace,
} from './support/project.js';

const tarballs = inject('tarballs');

/** The newest ones. Bun is a dependency of this workspace package. */
const BUNDLERS = [
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-json@6.1.0',
  '@rollup/plugin-node-resolve@16.0.3',
  'esbuild@0.28.2',
  'postject@1.0.0-alpha.6',
  'rolldown@1.3.3',
  'rollup@4.68.8',
  'vite@8.4.0',
  'webpack@5.113.0',
  'webpack-cli@7.3.1',
];

/** The commands that the page does not show, because they have no options. */
const COMMANDS: Readonly<Record<string, string>> = {
  webpack: 'npx webpack',
  Rollup: 'npx rollup --config',
  Vite: 'npx vite build',
};

const KINDS = [
  ['esbuild, to ES modules', 'esbuild', 0, 'main.mjs'],
  ['esbuild, to CommonJS', 'esbuild', 1, 'main.cjs'],
  ['webpack', 'webpack', 0, 'main.mjs'],
  ['Rollup', 'Rollup', 0, 'main.mjs'],
  ['Rolldown', 'Rolldown', 0, 'main.mjs'],
  ['Vite', 'Vite', 0, 'main.mjs'],
  ['Bun', 'Bun', 0, 'main.mjs'],
] as const;

let root: string;
let page: string;

beforeAll(async () => {
  page = await readFile(join(workspace, 'docs/recipes/bundling.md'), 'utf8');
  root = await mkdtemp(join(tmpdir(), 'fairlead-bundlers-'));
  await createProject(root);
  // The application uses zod.
  const needed = new Set([...packages.flatMap(librariesOf), 'zod']);
  const libraries = await Promise.all([...needed].map(installedVersion));
  await install(root, [
    ...packages.map((name) => tarballs[name] ?? name),
    ...libraries,
    ...BUNDLERS,
  ]);
  await cp(join(here, 'fixtures/bundlers/main.ts'), join(root, 'main.ts'));
  const tsconfig = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify({ ...tsconfig, files: ['main.ts'] }));
  await runTsc('typescript', ['-p', '.'], root);
});

afterAll(() => rm(root, { recursive: true, force: true }));

/** Returns the code blocks below a heading of the page. */
function blocksOf(heading: string, language: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code = '']) => code,
  );
}

const path = () =>
  [join(root, 'node_modules/.bin'), join(here, 'node_modules/.bin'), process.env.PATH].join(':');

/** Runs a command of the page. */
function runShell(command: string, cwd: string) {
  const env = { ...process.env, PATH: path() };
  return run('sh', ['-euc', command.replaceAll(/^npx /gm, '')], cwd, { env });
}

/**
 * Bundles a program as the page says.
 *
 * @returns A folder without `node_modules` that contains only the bundle.
 */
async function bundle(heading: string, index: number, code: string): Promise<string> {
  const folder = await mkdtemp(join(root, 'case-'));
  await mkdir(join(folder, 'dist'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'dist/main.js'), code);
  for (const config of blocksOf(heading, 'js')) {
    const [, name = 'unnamed'] = /^\/\/ (\S+)\n/.exec(config) ?? [];
    await writeFile(join(folder, name), config);
  }
  await runShell(COMMANDS[heading] ?? blocksOf(heading, 'sh')[index] ?? 'exit 1', folder);
  const target = await mkdtemp(join(tmpdir(), 'fairlead-bundle-'));
  onTestFinished(() => rm(target, { recursive: true, force: true }));
  await cp(join(folder, 'bundle'), target, { recursive: true });
  return target;
}

const entries = packages.flatMap(entriesOf).map(({ specifier }) => specifier);

describe.each(KINDS)('%s', (_, heading, index, file) => {
  it.each(entries)('bundles %s, which loads without node_modules', async (specifier) => {
    const print = 'console.log(JSON.stringify(Object.keys(all).sort()))';
    const code = `import * as all from '${specifier}';\n${print};\n`;
    const target = await bundle(heading, index, code);
    const bundled = await run(process.execPath, [file], target);
    await writeFile(join(root, 'direct.mjs'), code);
    const direct = await run(process.execPath, ['direct.mjs'], root);
    expect(JSON.parse(bundled.stdout)).toEqual(JSON.parse(direct.stdout));
    expect(bundled.stdout.length).toBeGreaterThan(5);
  });

  it('bundles an application, which serves requests', async () => {
    const target = await bundle(heading, index, await readFile(join(root, 'dist/main.js'), 'utf8'));
    await check(await start([process.execPath, join(target, file)], target));
  });
});

it('builds a single executable, which serves requests', async () => {
  const code = await readFile(join(root, 'dist/main.js'), 'utf8');
  const target = await mkdtemp(join(tmpdir(), 'fairlead-executable-'));
  onTestFinished(() => rm(target, { recursive: true, force: true }));
  await cp(await bundle('esbuild', 1, code), join(target, 'bundle'), { recursive: true });
  const [config = ''] = blocksOf('Single executable', 'json');
  const [commands = ''] = blocksOf('Single executable', 'sh');
  await writeFile(join(target, 'sea-config.json'), config);
  await runShell(commands, target);
  await rm(join(target, 'bundle/main.cjs'));
  await check(await start([join(target, 'bundle/main'), 'main'], target));
});

/** Starts a program, and returns its URL. The test ends it with a signal, after which it must exit with 0. */
async function start([command = '', ...args]: readonly string[], folder: string): Promise<Running> {
  const process = spawn(command, [...args, join(folder, 'notes.db')], { cwd: folder });
  onTestFinished(() => void process.kill('SIGKILL'));
  let errors = '';
  process.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const line of createInterface(process.stdout)) {
    if (line.startsWith('http:')) return { process, url: line };
  }
  throw new Error(`The program ended: ${errors}`);
}

interface Running {
  readonly process: ChildProcess;
  readonly url: string;
}

/** Calls each part of the application. */
async function check({ process, url }: Running): Promise<void> {
  const post = (text: string) =>
    fetch(`${url}/notes`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
    });
  const created = await post('Milk');
  expect([created.status, await created.json()]).toEqual([201, { id: 1, text: 'Milk' }]);
  expect(await (await fetch(`${url}/notes/1`)).json()).toEqual({ text: 'Milk' });
  expect((await post('')).status).toBe(400);
  expect((await fetch(`${url}/none`)).status).toBe(404);
  const report = await fetch(`${url}/report`);
  expect(report.headers.get('Content-Disposition')).toContain("filename*=UTF-8''r%C3%A9port.csv");
  const form = new FormData();
  form.set('file', new Blob(['text']), 'a.txt');
  expect(await (await fetch(`${url}/upload`, { method: 'POST', body: form })).json()).toEqual([
    'file',
  ]);
  const response = await fetch(`${url}/openapi.json`);
  const document = (await response.json()) as { readonly paths: object };
  expect(Object.keys(document.paths)).toContain('/notes/{id}');
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('http_');
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);

  const socket = new WebSocket(`${url.replace('http', 'ws')}/echo`);
  await once(socket, 'open');
  socket.send('hello');
  const [message] = await once(socket, 'message');
  expect(String(message)).toBe('hello');
  socket.close();

  process.kill('SIGTERM');
  expect(await once(process, 'exit')).toEqual([0, null]);
}
