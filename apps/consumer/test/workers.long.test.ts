import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createProject, here, install, run, workspace } from './support/project.js';

const require = createRequire(import.meta.url);

/** Paths of the program: the newest version, and one that allows less outside of requests. */
const WORKERD: string = require('workerd').default;
const OLD_WORKERD: string = require('workerd-2026-07').default;
const tarballs = inject('tarballs');
const PACKAGES = ['core', 'di', 'controllers', 'middleware', 'session', 'rate-limit', 'jwt'].map(
  (name) => tarballs[name] ?? name,
);
const RECIPE = join(workspace, 'docs/recipes/cloudflare-workers.md');

/** The configuration of workerd, with the settings of the recipe. */
const configOf = (recipe: string) => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "bundle.js")],
  compatibilityDate = ${/"compatibility_date": (".*?")/.exec(recipe)?.[1]},
  compatibilityFlags = ${/"compatibility_flags": (\[.*?\])/.exec(recipe)?.[1]},
  bindings = [(name = "NAME", text = "Ada")],
);
`;

const JSON_POST = { method: 'POST', headers: { 'Content-Type': 'application/json' } };

let project: string;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-workers-'));
  await createProject(project);
  await install(project, [...PACKAGES, 'reflect-metadata@0.2.2']);
  await cp(join(here, 'fixtures/workers'), project, { recursive: true });
  const recipe = await readFile(RECIPE, 'utf8');
  for (const [, code = '', name = ''] of recipe.matchAll(
    /^```\w+\n(\/\/ (\S+\.[jt]s)\n.*?)^```$/gms,
  ))
    await writeFile(join(project, name), code);
  await writeFile(join(project, 'config.capnp'), configOf(recipe));
});

afterAll(async () => {
  for (const stop of stops) await stop();
  await rm(project, { recursive: true, force: true });
});

/** Bundles a module as wrangler does. Returns its size in kB, gzipped. */
async function bundle(entry: string): Promise<number> {
  const { warnings } = await build({
    absWorkingDir: project,
    entryPoints: [entry],
    outfile: join(project, 'bundle.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'node',
    external: ['cloudflare:*'],
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  return gzipSync(await readFile(join(project, 'bundle.js'))).length / 1_000;
}

/** Starts workerd with the bundle. Returns the URL at which it listens. */
async function start(workerd: string): Promise<string> {
  const child = spawn(workerd, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stderr as Readable)]);
  stops.push(() => {
    child.kill();
    return ended;
  });
  const failed = ended.then(([, stderr]) => Promise.reject(new Error(stderr)));
  const [event] = await Promise.race([once(child.stdio[3] as Readable, 'data'), failed]);
  return `http://127.0.0.1:${JSON.parse(String(event)).port}`;
}

describe.each([
  ['the newest workerd', WORKERD],
  ['workerd of July 2026', OLD_WORKERD],
])('the recipe for Cloudflare Workers in %s', (_, workerd) => {
  let size: number;
  let url: string;
  beforeAll(async () => {
    size = await bundle('worker.js');
    url = await start(workerd);
  });

  it('responds with JSON', async () => {
    const response = await fetch(`${url}/users/7`);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({ id: '7', name: 'Ada' });
  });

  it('parses bodies', async () => {
    const response = await fetch(`${url}/users`, { ...JSON_POST, body: '{"name":"Zoë"}' });
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ name: 'Zoë' });
  });

  it.each([
    ['/users/8', {}, 404, 'User 8 not found'],
    ['/nothing', {}, 404, 'No route matches /nothing.'],
    ['/users', { ...JSON_POST, body: '{' }, 400, 'The body is not valid JSON'],
  ])('responds to %s %j with a problem', async (path, init, status, detail) => {
    const response = await fetch(url + path, init);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(await response.json()).toMatchObject({
      status,
      detail: expect.stringContaining(detail),
    });
  });

  it('runs as a CommonJS bundle in Node.js, too', async () => {
    const contents = `
      import { app } from './app.ts';
      app.request('/users/7').then((response) => response.text()).then(console.log);`;
    await build({
      stdin: { contents, resolveDir: project },
      outfile: join(project, 'bundle.cjs'),
      bundle: true,
      platform: 'node',
      logLevel: 'silent',
    });
    const { stdout } = await run(process.execPath, ['bundle.cjs'], project);
    expect(JSON.parse(stdout)).toEqual({ id: '7', name: 'Ada' });
  });

  it('names the version', async () => {
    const { stdout } = await run(workerd, ['--version'], project);
    const date = /\d{4}-\d\d-\d\d/.exec(stdout)?.[0];
    expect(await readFile(RECIPE, 'utf8')).toContain(`${date}`);
  });

  it('states how large its bundle is at most', async () => {
    const [, most] = /bundle has at most (\d+) kB/.exec(await readFile(RECIPE, 'utf8')) ?? [];
    expect(size).toBeGreaterThan(10);
    expect(size).toBeLessThanOrEqual(Number(most));
  });
});

describe.each([
  ['workerd', WORKERD],
  ['workerd of July 2026', OLD_WORKERD],
])('an application in %s', (_, workerd) => {
  let url: string;
  beforeAll(async () => {
    await bundle('worker.ts');
    url = await start(workerd);
  });
  const json = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).json();

  it('reads the request and its client', async () => {
    const headers = { 'CF-Connecting-IP': '192.0.2.7' };
    const request = await json('/requests/a%2Fb?page=2', { headers });
    expect(request).toEqual(['a/b', '2', '192.0.2.7', 'http']);
  });

  it('has controllers with dependencies and guards', async () => {
    expect(await json('/values/7')).toEqual({ id: '7', name: 'Ada' });
    expect(await json('/classes/7?key=ada')).toEqual({ id: '7', name: 'Ada' });
    expect(await json('/classes/7')).toMatchObject({ code: 'GUARD_REJECTED' });
  });

  it('decompresses and limits bodies', async () => {
    const headers = { ...JSON_POST.headers, 'Content-Encoding': 'gzip' };
    const post = (body: string) => ({ ...JSON_POST, headers, body: gzipSync(body) });
    expect(await json('/bodies', post('{"a":1}'))).toEqual({ a: 1 });
    const large = JSON.stringify('a'.repeat(1_024));
    expect(await json('/bodies', post(large))).toMatchObject({ status: 413 });
  });

  it('runs middleware', async () => {
    const response = await fetch(`${url}/text`, { headers: { Origin: 'https://a.example' } });
    const tag = response.headers.get('ETag') ?? '';
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
    expect(await response.text()).toBe('é');
    const second = await fetch(`${url}/text`, { headers: { 'If-None-Match': tag } });
    expect([second.status, await second.text()]).toEqual([304, '']);
  });

  it.each([
    ['HEAD', '/text', 200],
    ['GET', '/empty', 204],
    ['OPTIONS', '/text', 204],
  ])('responds to %s %s without a body', async (method, path, status) => {
    const response = await fetch(url + path, { method });
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it.each([
    ['GET', '/broken', 500, 'Internal Server Error'],
    ['POST', '/text', 405, '/text does not support POST. Use one of GET, HEAD, OPTIONS.'],
    ['GET', '/%zz', 400, expect.stringContaining('malformed')],
  ])('responds to %s %s with a problem', async (method, path, status, detail) => {
    expect(await json(path, { method })).toMatchObject({ status, detail });
  });

  it('has middleware that was created before the first request', async () => {
    const first = await fetch(`${url}/packages`);
    expect(first.headers.get('RateLimit')).toMatch(/^"[^"]*";r=4;/);
    expect(await first.json()).toEqual({ visits: 1 });
    expect(await json('/packages')).toEqual({ visits: 1 });
    expect(await json('/cookies')).toEqual({ signed: true });
    expect(await json('/health/ready')).toMatchObject({ status: 'ready' });
    expect(await json('/tokens')).toMatchObject({ status: 401 });
  });

  it('has a signal for the end of the application in each request', async () => {
    expect([await json('/closing'), await json('/closing')]).toEqual([false, false]);
  });

  it('reads bindings', async () => {
    expect(await json('/env')).toEqual(['Ada', 'Ada']);
  });
});

describe('an application in workerd', () => {
  let url: string;
  beforeAll(async () => {
    await bundle('worker.ts');
    url = await start(WORKERD);
  });
  const json = async (path: string) => (await fetch(url + path)).json();

  it('streams', async () => {
    expect(await (await fetch(`${url}/chunks`)).text()).toBe('one two');
  });

  it('notices clients that leave', async () => {
    const controller = new AbortController();
    const { body } = await fetch(`${url}/ticks`, { signal: controller.signal });
    const { value } = (await body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('data: tick\n\n');
    controller.abort();
    await expect
      .poll(() => json('/ended'))
      .toEqual({ outcomes: [{ status: 200, aborted: true }], aborted: 1 });
  });
});
