import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { setVersion } from '../src/entries.js';

const data = mkdtempSync(join(tmpdir(), 'entries-'));
const children: ChildProcess[] = [];

afterAll(() => {
  for (const child of children) child.kill();
  rmSync(data, { recursive: true });
});

/** Starts an entry on a free port, and returns its URL. @throws {Error} When it exits. */
async function start(entry: string): Promise<string> {
  const child = spawn(process.execPath, [join('entries', entry)], {
    env: { ...process.env, PORT: '0', WORKERS: '1', DATA: data },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exit = once(child, 'exit').then(() => Promise.reject(new Error(`${entry} has exited.`)));
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), exit]);
  exit.catch(() => undefined);
  return String(line).replace('Listening on ', '');
}

it('the entry of HttpArena does what its validation requires', async () => {
  const item = { id: 1, price: 3, quantity: 5, tags: ['a'.repeat(2_000)] };
  writeFileSync(join(data, 'dataset.json'), JSON.stringify(Array(50).fill(item)));
  mkdirSync(join(data, 'static'));
  writeFileSync(join(data, 'static/app.js'), 'let a;');
  writeFileSync(join(data, 'static/app.js.gz'), gzipSync('let a;'));
  const url = await start('httparena/app.js');

  const post = { method: 'POST', body: '20' };
  const baseline = await fetch(`${url}/baseline11?a=13&b=42`);
  expect(baseline.headers.get('Content-Type')).toMatch(/^text\/plain(;|$)/);
  expect(await baseline.text()).toBe('55');
  const sum = await fetch(`${url}/baseline11?a=13&b=42`, post);
  expect(sum.headers.get('Content-Type')).toMatch(/^text\/plain(;|$)/);
  expect(await sum.text()).toBe('75');
  const chunked = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('2'));
      controller.enqueue(Buffer.from('0'));
      controller.close();
    },
  });
  const headers = { 'Content-Type': 'text/plain' };
  const streamed = { method: 'POST', body: chunked, headers, duplex: 'half' } as const;
  expect(await (await fetch(`${url}/baseline11?a=13&b=42`, streamed)).text()).toBe('75');

  const pipeline = await fetch(`${url}/pipeline`);
  expect(pipeline.headers.get('Content-Type')).toMatch(/^text\/plain(;|$)/);
  expect(await pipeline.text()).toBe('ok');

  const plain = await fetch(`${url}/json/12?m=3`, { headers: { 'Accept-Encoding': 'identity' } });
  expect(plain.headers.get('Content-Type')).toMatch(/^application\/json(;|$)/);
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  expect(await plain.json()).toEqual({ items: Array(12).fill({ ...item, total: 45 }), count: 12 });
  const compressed = await fetch(`${url}/json/50?m=1`, {
    headers: { 'Accept-Encoding': 'gzip, br' },
  });
  expect(compressed.headers.get('Content-Encoding')).toMatch(/^(gzip|br)$/);
  expect(await compressed.json()).toMatchObject({ count: 50 });

  const upload = await fetch(`${url}/upload`, { method: 'POST', body: Buffer.alloc(20_971_520) });
  expect(await upload.text()).toBe('20971520');

  const file = await fetch(`${url}/static/app.js`, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(file.headers.get('Content-Type')).toMatch(/^(text|application)\/javascript(;|$)/);
  expect(file.headers.get('Content-Encoding')).toBe('gzip');
  expect(await file.text()).toBe('let a;');
  expect((await fetch(`${url}/static/nonexistent.txt`)).status).toBe(404);
});

it('the entry of web-frameworks responds to its three routes', async () => {
  const url = await start('web-frameworks/app.mjs');
  const responses = await Promise.all([
    fetch(url),
    fetch(`${url}/user/0`),
    fetch(`${url}/user`, { method: 'POST', headers: { 'Content-Type': 'text/plain' } }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(['', '0', '']);
});

it('the entry of the benchmarks of Fastify responds as theirs do', async () => {
  const url = await start('fastify-benchmarks/fairlead.mjs');
  expect(await (await fetch(url)).json()).toEqual({ hello: 'world' });
});

it.each([
  ['{ "@fairlead/core": "0.0.0", "pg": "1.0.0" }', '{ "@fairlead/core": "1.2.3", "pg": "1.0.0" }'],
  ['framework:\n  version: 0.0\n', 'framework:\n  version: 1.2\n'],
])('a release sets the version in %j', (before, after) => {
  expect(setVersion(before, '1.2.3')).toBe(after);
});
