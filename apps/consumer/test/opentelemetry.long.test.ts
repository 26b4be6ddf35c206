import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { createProject, install, installedVersion, run, workspace } from './support/project.js';

const tarballs = inject('tarballs');
let project: string;

/** Installs what the README installs, and writes its files. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'fairlead-opentelemetry-'));
  await createProject(project);
  const readme = await readFile(join(workspace, 'packages/opentelemetry/README.md'), 'utf8');
  const names = [...readme.matchAll(/^npm install (.*)$/gm)].flatMap(([, list = '']) =>
    list.split(' '),
  );
  const packages = names.map((name) => {
    const [, own] = /^@fairlead\/(.*)/.exec(name) ?? [];
    return own === undefined ? installedVersion(name) : (tarballs[own] ?? own);
  });
  await install(project, await Promise.all(packages));
  for (const [, , file = '', code = ''] of readme.matchAll(
    /^```(js|ts)\n(?=\/\/ (\S+)\n)(.*?)^```$/gms,
  )) {
    await writeFile(join(project, file), code.replace('8080', '0'));
  }
});

afterAll(() => rm(project, { recursive: true, force: true }));

interface Export {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly unknown[] };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string }[] }[];
  }[];
}

/** Starts a receiver of OTLP in JSON for the running test. */
async function receive() {
  const exports: Export[] = [];
  const server = createServer(async (req, res) => {
    exports.push((await json(req)) as Export);
    res.setHeader('Content-Type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { exports, endpoint: `http://127.0.0.1:${port}` };
}

it('the example of the README runs in an empty folder, and exports its last spans', async () => {
  const { exports, endpoint } = await receive();
  const child = spawn(process.execPath, ['main.ts'], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [url = ''] = /http:\S+/.exec(line) ?? [];
  const response = await fetch(`${url}/users/7`);
  for (const path of ['/health/live', '/none']) await (await fetch(url + path)).text();
  const { traceId } = (await response.json()) as { traceId: string };
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);

  const resources = exports.flatMap(({ resourceSpans = [] }) => resourceSpans);
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  expect(spans).toMatchObject([{ name: 'GET /users/:id', traceId }, { name: 'GET' }]);
  expect(resources[0]?.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'shop' },
  });
});

it('the example runs without the SDK', async () => {
  const code = `await import('./main.ts'); process.kill(process.pid, 'SIGTERM');`;
  const { stderr } = await run(process.execPath, ['--input-type=module', '--eval', code], project);
  expect(stderr).toBe('');
});
