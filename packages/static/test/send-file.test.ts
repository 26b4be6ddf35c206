import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Context, createApp, createRouter, errorHandler, type Handler } from '@fairlead/core';
import { cases, codePoint } from '@fairlead/test-support/properties';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { attachment, download, type SendFileOptions, sendFile } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter } from './support/serve.js';

const folder = provideFolder();
beforeAll(async () => {
  await symlink('loop', join(folder.root, 'loop'));
  await writeFile(join(folder.root, 'a.txt.gz'), 'gz');
});

const appOf = (handler: Handler) =>
  createApp()
    .use(errorHandler({ onError: () => undefined }))
    .get('/', handler);

const at = (...names: readonly string[]) => join(folder.root, ...names);

describe('sendFile()', () => {
  it('responds with a file', async () => {
    const get = await getter(appOf((ctx) => sendFile(ctx, at('page.html'))));
    const { status, headers, text } = await get('/');
    expect({ status, text }).toEqual({ status: 200, text: '<p>é</p>' });
    expect(headers).toMatchObject({
      'content-length': '9',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^W\/"9-/),
      'last-modified': expect.any(String),
    });
  });

  it('accepts a file: URL', async () => {
    const app = appOf((ctx) => sendFile(ctx, pathToFileURL(at('a#b.txt'))));
    expect(await (await app.request('/')).text()).toBe('hash');
  });

  it('evaluates ranges and conditions', async () => {
    const app = appOf((ctx) => sendFile(ctx, at('a.txt')));
    const part = await app.request('/', { headers: { Range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, '12']);
    const same = await app.request('/', { headers: { 'If-None-Match': '*' } });
    expect(same.status).toBe(304);
    const outside = await app.request('/', { headers: { Range: 'bytes=99-' } });
    expect(outside.status).toBe(416);
  });

  it('evaluates those of QUERY', async () => {
    const app = createApp().query('/', (ctx) => sendFile(ctx, at('a.txt')));
    const send = (headers: Record<string, string>) =>
      app.request('/', { method: 'QUERY', headers: { 'Content-Type': 'text/plain', ...headers } });
    const part = await send({ Range: 'bytes=1-2' });
    expect([part.status, await part.text()]).toEqual([206, '12']);
    expect((await send({ 'If-None-Match': '*' })).status).toBe(304);
  });

  it('ignores ranges and conditions of other methods', async () => {
    const app = createApp().post('/', (ctx) => sendFile(ctx, at('a.txt')));
    const headers = { Range: 'bytes=1-2', 'If-None-Match': '*' };
    const response = await app.request('/', { method: 'POST', headers });
    expect([response.status, await response.text()]).toEqual([200, '0123456789']);
  });

  it('keeps a status and headers that are already set', async () => {
    const app = createApp({
      notFound: (ctx) => {
        ctx.set('Cache-Control', 'no-store');
        return sendFile(ctx, at('page.html'));
      },
    });
    const response = await app.request('/missing', { headers: { 'If-None-Match': '*' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(await response.text()).toBe('<p>é</p>');
  });

  it('sends a precompressed sibling', async () => {
    const app = appOf((ctx) => sendFile(ctx, at('a.txt'), { precompressed: true }));
    const response = await app.request('/', { headers: { 'Accept-Encoding': 'gzip' } });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  });

  it.each([
    ['missing.txt', 404, 'NOT_FOUND'],
    ['docs', 404, 'NOT_FOUND'],
    ['a.txt/b', 404, 'NOT_FOUND'],
    ['loop', 500, 'INTERNAL_SERVER_ERROR'],
  ])('responds to %s with %i', async (name, status, code) => {
    for (const method of ['GET', 'HEAD']) {
      const get = await getter(appOf((ctx) => sendFile(ctx, at(name))));
      const reply = await get('/', {}, method);
      expect(reply.status).toBe(status);
      expect(reply.headers['content-type']).toBe('application/problem+json');
    }
    const response = await appOf((ctx) => sendFile(ctx, at(name))).request('/');
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ code });
    expect(body).not.toContain(folder.root);
  });

  it.each<[unknown, unknown, string]>([
    [undefined, {}, 'sendFile() cannot use undefined as path.'],
    ['', {}, "sendFile() cannot use '' as path."],
    [new URL('https://a.example/b'), {}, 'sendFile() cannot use an instance of URL as path.'],
    [pathToFileURL('/a'), { root: '/' }, 'sendFile() cannot use an instance of URL as path.'],
    ['a', { rot: '/' }, "sendFile() has no option 'rot'. Did you mean 'root'?"],
    ['a', { cacheControl: 'a\n' }, 'cacheControl of sendFile() must be'],
    ['a', '/', "options of sendFile() must be an object: got '/'."],
  ])('rejects the path %o with the options %j', async (path, options, message) => {
    const call: Promise<void> = Reflect.apply(sendFile, undefined, [{}, path, options]);
    await expect(call).rejects.toMatchObject({
      name: 'SetupError',
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    });
  });
});

describe('sendFile() with root', () => {
  const serving = (options: SendFileOptions = {}) =>
    createApp()
      .use(errorHandler({ onError: () => undefined }))
      .route(
        '/',
        createRouter().get('/files/*path', (ctx) =>
          sendFile(ctx, ctx.params.path, { root: folder.root, ...options }),
        ),
      );

  it('responds with the files of the directory', async () => {
    const app = serving();
    expect(await (await app.request('/files/docs/guide/b.txt')).text()).toBe('guide');
    expect(await (await app.request('/files/with%20space%20%C3%A9.txt')).text()).toBe('spaced');
  });

  it.each([
    '../secret.txt',
    'docs/../../secret.txt',
    '/etc/passwd',
    '..\\secret.txt',
    '.',
    'docs/',
  ])('responds to %s with 404', async (path) => {
    const app = appOf((ctx) => sendFile(ctx, path, { root: folder.root }));
    expect((await app.request('/')).status).toBe(404);
  });

  it('responds to a path with NUL with 400', async () => {
    const app = appOf((ctx) => sendFile(ctx, 'a.txt\0', { root: folder.root }));
    expect((await app.request('/')).status).toBe(400);
  });

  it('treats dotfiles and symbolic links as serveStatic does', async () => {
    expect((await serving().request('/files/.env')).status).toBe(404);
    expect((await serving({ dotfiles: 'deny' }).request('/files/.env')).status).toBe(403);
    expect((await serving({ dotfiles: 'allow' }).request('/files/.env')).status).toBe(200);
    expect((await serving().request('/files/link.txt')).status).toBe(200);
    expect((await serving({ symlinks: 'inside' }).request('/files/link.txt')).status).toBe(404);
  });

  it('never leaves the directory', async () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', 'docs', 'secret.txt', 'a', '%2e', ' ');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 8 }), async (pieces) => {
        const app = appOf((ctx: Context) =>
          sendFile(ctx, pieces.join(''), { root: folder.root, dotfiles: 'allow' }),
        );
        expect(await (await app.request('/')).text()).not.toBe('secret');
      }),
      { numRuns: cases(40) },
    );
  });
});

describe('download()', () => {
  const dispositionOf = async (path: string, name?: string) => {
    const app = appOf((ctx) => download(ctx, path, name));
    const response = await app.request('/');
    expect(response.status).toBe(200);
    return response.headers.get('Content-Disposition');
  };

  it.each([
    [undefined, 'attachment; filename=a.txt'],
    ['report.pdf', 'attachment; filename=report.pdf'],
    ['my report.pdf', 'attachment; filename="my report.pdf"'],
    ['a"b.txt', 'attachment; filename="a\\"b.txt"'],
    ['naïve.txt', 'attachment; filename="na?ve.txt"; filename*=UTF-8\'\'na%C3%AFve.txt'],
    ['\ud800.txt', 'attachment; filename="?.txt"; filename*=UTF-8\'\'%EF%BF%BD.txt'],
    ['C:\\b\\a.txt', 'attachment; filename=a.txt'],
    ['€.txt', 'attachment; filename="?.txt"; filename*=UTF-8\'\'%E2%82%AC.txt'],
    ['../../a.txt', 'attachment; filename=a.txt'],
    ['100%.txt', 'attachment; filename=100%.txt'],
  ])('names the file %s', async (name, expected) => {
    expect(await dispositionOf(at('a.txt'), name)).toBe(expected);
  });

  it('is a valid header for every name', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint, minLength: 1 }), async (name) => {
        expect(await dispositionOf(at('a.txt'), name)).toMatch(/^attachment[\x20-\x7e]*$/);
      }),
      { numRuns: cases(40) },
    );
  });

  it('keeps the type, and evaluates ranges', async () => {
    const app = appOf((ctx) => download(ctx, at('page.html'), 'x.bin'));
    const response = await app.request('/', { headers: { Range: 'bytes=0-2' } });
    expect(response.status).toBe(206);
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it('sets no header for a file that is missing', async () => {
    const app = appOf((ctx) => download(ctx, 'a', undefined, { root: folder.root }));
    const response = await app.request('/');
    expect(response.status).toBe(404);
    expect(response.headers.has('Content-Disposition')).toBe(false);
  });

  it.each([[''], [7]])('rejects the name %o', async (name) => {
    const call: Promise<void> = Reflect.apply(download, undefined, [{}, 'a', name]);
    await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });
});

describe('attachment()', () => {
  it.each([
    ['report.csv', 'attachment; filename=report.csv'],
    ['my "report".csv', 'attachment; filename="my \\"report\\".csv"'],
    ['../naïve.csv', 'attachment; filename="na?ve.csv"; filename*=UTF-8\'\'na%C3%AFve.csv'],
  ])('names a body that the handler creates %s', async (name, expected) => {
    const app = appOf((ctx) => {
      attachment(ctx, name);
      ctx.send('id,name\n');
    });
    const response = await app.request('/');
    expect(response.headers.get('Content-Disposition')).toBe(expected);
    expect(await response.text()).toBe('id,name\n');
  });

  it.each([[''], [7], [undefined]])('rejects the name %o', (name) => {
    expect(() => Reflect.apply(attachment, undefined, [{}, name])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
