import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib';
import { createApp } from '@fairlead/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter, serving } from './support/serve.js';

const folder = provideFolder();
beforeAll(async () => {
  const write = (name: string, content: string | Buffer) =>
    writeFile(join(folder.root, name), content);
  await write('site.css', 'a { color: red }');
  await write('site.css.br', brotliCompressSync('a { color: red }'));
  await write('site.css.zst', 'zst');
  await write('site.css.gz', gzipSync('a { color: red }'));
  await write('half.css', 'half');
  await write('half.css.gz', gzipSync('half'));
  await write('docs/index.html.gz', gzipSync('docs'));
});

const appOf = () => serving(folder, { precompressed: true });

const encodingOf = async (accept: string | undefined, path = '/site.css') => {
  const headers = accept === undefined ? {} : { 'Accept-Encoding': accept };
  const response = await appOf().request(path, { headers });
  expect(response.status).toBe(200);
  return response.headers.get('Content-Encoding');
};

describe('a precompressed file', () => {
  it.each([
    ['br, gzip, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['zstd;q=0.9, br;q=0.8', 'zstd'],
    ['BR', 'br'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'zstd'],
    ['gzip;q=0.5, identity;q=1', null],
    ['br;q=0, gzip;q=0, zstd;q=0', null],
    ['br;Q=0, gzip', 'gzip'],
    ['br;q=oops', null],
    ['br;q=0.5, *', 'zstd'],
    ['x-gzip', 'gzip'],
    ['deflate', null],
    ['', null],
    ['identity;q=0', null],
    [undefined, null],
  ])('is selected for Accept-Encoding: %s as %s', async (accept, encoding) => {
    expect(await encodingOf(accept)).toBe(encoding);
  });

  it('is selected among those that exist', async () => {
    expect(await encodingOf('br, gzip', '/half.css')).toBe('gzip');
    expect(await encodingOf('br', '/half.css')).toBe(null);
    expect(await encodingOf('gzip', '/docs/')).toBe('gzip');
  });

  it('has the type of the original and the size of its own bytes', async () => {
    const app = appOf();
    const get = await getter(app);
    const { headers } = await get('/site.css', { 'Accept-Encoding': 'br' });
    const bytes = brotliCompressSync('a { color: red }');
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'content-length': String(bytes.length),
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
    });
    const response = await app.request('/site.css', { headers: { 'Accept-Encoding': 'br' } });
    const body = Buffer.from(await response.arrayBuffer());
    expect(brotliDecompressSync(body).toString()).toBe('a { color: red }');
  });

  it('has another ETag than the original, and Vary is set for both', async () => {
    const app = appOf();
    const plain = await app.request('/site.css');
    const headers = { 'Accept-Encoding': 'gzip' };
    const zipped = await app.request('/site.css', { headers });
    expect(plain.headers.get('Vary')).toBe('Accept-Encoding');
    expect(zipped.headers.get('ETag')).toMatch(/-gzip"$/);
    const tag = zipped.headers.get('ETag') ?? '';
    const same = await app.request('/site.css', { headers: { ...headers, 'If-None-Match': tag } });
    expect([same.status, same.headers.get('Vary')]).toEqual([304, 'Accept-Encoding']);
    const other = await app.request('/site.css', { headers: { 'If-None-Match': tag } });
    expect(other.status).toBe(200);
  });

  it('is the representation that a range selects from', async () => {
    const headers = { 'Accept-Encoding': 'zstd', Range: 'bytes=1-' };
    const response = await appOf().request('/site.css', { headers });
    expect(response.status).toBe(206);
    expect(response.headers.get('Content-Range')).toBe('bytes 1-2/3');
    expect(await response.text()).toBe('st');
  });

  it('adds to a Vary header that is already set', async () => {
    const app = createApp().use(
      (ctx, next) => {
        ctx.set('Vary', 'Origin');
        return next();
      },
      serveStatic(folder.root, { precompressed: true }),
    );
    expect((await app.request('/site.css')).headers.get('Vary')).toBe('Origin, Accept-Encoding');
  });

  it('is not used by default', async () => {
    const headers = { 'Accept-Encoding': 'br' };
    const response = await serving(folder).request('/site.css', { headers });
    expect(response.headers.has('Content-Encoding')).toBe(false);
    expect(response.headers.has('Vary')).toBe(false);
  });

  it('without its original is not found', async () => {
    await writeFile(join(folder.root, 'alone.css.br'), 'br');
    const response = await appOf().request('/alone.css', { headers: { 'Accept-Encoding': 'br' } });
    expect(response.status).toBe(404);
  });
});
