import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readlink, truncate, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { dirname, join } from 'node:path';
import { createApp, type Middleware } from '@fairlead/core';
import { beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { serve } from './support/serve.js';

const SIZE = 32 * 1024 * 1024;
let stderr: MockInstance<typeof console.error>;
beforeEach(() => {
  stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

const folder = provideFolder();
beforeAll(async () => {
  await writeFile(join(folder.root, 'big.bin'), Buffer.alloc(SIZE, 'fairlead'));
});

/** Starts a download and resolves when the response headers arrive. */
const download = (port: number, path = '/big.bin') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, agent: false })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });

/** Returns the files that this process has open below a directory. */
async function listOpen(directory: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(directory));
}

const countOpenFiles = async () => (await listOpen(folder.root)).length;

describe('a large file', () => {
  it('is written no faster than the client reads it', async () => {
    let isFull = false;
    let fillings = 0;
    let overruns = 0;
    const watch: Middleware = (ctx, next) => {
      const write = ctx.res.write.bind(ctx.res);
      ctx.res.on('drain', () => {
        isFull = false;
      });
      ctx.res.write = (...args: unknown[]) => {
        overruns += Number(isFull);
        isFull = !Reflect.apply(write, ctx.res, args);
        fillings += Number(isFull);
        return !isFull;
      };
      return next();
    };
    const port = await serve(createApp().use(watch, serveStatic(folder.root)));
    const incoming = await download(port);
    await expect.poll(() => isFull).toBe(true);
    const hash = createHash('sha256');
    for await (const chunk of incoming) hash.update(chunk);
    const expected = createHash('sha256').update(Buffer.alloc(SIZE, 'fairlead'));
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    expect(fillings).toBeGreaterThan(0);
    expect(overruns).toBe(0);
  });

  it('closes the connection when it shrinks while it is sent', async () => {
    const file = join(folder.root, 'shrinking.bin');
    await writeFile(file, Buffer.alloc(SIZE));
    const port = await serve(createApp().use(serveStatic(folder.root)));
    const incoming = await download(port, '/shrinking.bin');
    await truncate(file, 10);
    await expect(incoming.resume().toArray()).rejects.toThrow('aborted');
    const shorter = { message: expect.stringContaining('The stream has fewer bytes') };
    await expect.poll(() => stderr.mock.calls).toMatchObject([[shorter]]);
  });
});

describe.runIf(existsSync('/proc/self/fd'))('the file', () => {
  it('is closed when the client disconnects', async () => {
    const port = await serve(createApp().use(serveStatic(folder.root)));
    await expect.poll(countOpenFiles).toBe(0);
    const downloads = await Promise.all(Array.from({ length: 20 }, () => download(port)));
    expect(await countOpenFiles()).toBe(20);
    for (const incoming of downloads) incoming.on('error', () => undefined).destroy();
    await expect.poll(countOpenFiles).toBe(0);
    expect(stderr).not.toHaveBeenCalled();
  });

  it.each([
    ['is sent', {}],
    ['is sent partially', { Range: 'bytes=0-99' }],
    ['is unchanged', { 'If-None-Match': '*' }],
    ['is requested with a range outside it', { Range: 'bytes=99999999-' }],
  ])('is closed when it %s', async (_, headers) => {
    const app = createApp().use(serveStatic(folder.root));
    await (await app.request('/big.bin', { headers })).arrayBuffer();
    await expect.poll(countOpenFiles).toBe(0);
  });

  it.each([
    ['a directory', '/docs', {}],
    ['a directory without an index', '/docs/guide', {}],
    ['a link out of the directory', '/link.txt', { symlinks: 'inside' as const }],
  ])('is closed when it is %s', async (_, path, options) => {
    const app = createApp().use(serveStatic(folder.root, options));
    await (await app.request(path, { redirect: 'manual' })).arrayBuffer();
    expect(await listOpen(dirname(folder.root))).toEqual([]);
  });

  it('is closed when outer middleware throws afterwards', async () => {
    const app = createApp().use(async (_ctx, next) => {
      await next();
      expect(await countOpenFiles()).toBe(1);
      throw new Error('above');
    }, serveStatic(folder.root));
    expect((await app.request('/big.bin')).status).toBe(500);
    await expect.poll(countOpenFiles).toBe(0);
  });

  it('is not opened for HEAD', async () => {
    const counts: number[] = [];
    const app = createApp().use(async (_ctx, next) => {
      await next();
      counts.push(await countOpenFiles());
    }, serveStatic(folder.root));
    await app.request('/big.bin', { method: 'HEAD' });
    expect(counts).toEqual([0]);
  });
});
