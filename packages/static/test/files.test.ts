import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApp, createRouter, errorHandler, notFoundHandler } from '@fairlead/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StaticOptions, serveStatic } from '../src/index.js';
import { createFolder, type Folder } from './support/folder.js';
import { getter } from './support/serve.js';

let folder: Folder;
beforeAll(async () => {
  folder = await createFolder();
});
afterAll(() => folder.remove());

const appOf = (options?: StaticOptions) =>
  createApp()
    .use(errorHandler({ onError: () => undefined }), serveStatic(folder.root, options))
    .use(notFoundHandler());

describe('a file', () => {
  it('is sent whole, with its length, type, date and tag', async () => {
    const get = await getter(appOf());
    const { mtime } = await stat(join(folder.root, 'a.txt'));
    const { status, headers, text } = await get('/a.txt');
    expect({ status, text }).toEqual({ status: 200, text: '0123456789' });
    expect(headers).toMatchObject({
      'content-length': '10',
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=0',
      'last-modified': mtime.toUTCString(),
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^W\/"a-/),
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it('is the same without a socket', async () => {
    const app = appOf();
    const get = await getter(app);
    const overSocket = await get('/page.html');
    const response = await app.request('/page.html');
    expect(await response.text()).toBe(overSocket.text);
    expect({ ...Object.fromEntries(response.headers), date: '' }).toEqual({
      ...overSocket.headers,
      connection: expect.any(String),
      'keep-alive': expect.any(String),
      date: '',
    });
  });

  it.each([
    ['/page.html', 'text/html; charset=utf-8'],
    ['/app.js', 'text/javascript; charset=utf-8'],
    ['/data.json', 'application/json; charset=utf-8'],
    ['/unknown.zzz', 'application/octet-stream'],
    ['/no-extension', 'application/octet-stream'],
  ])('%s has the type %s', async (path, type) => {
    const response = await appOf().request(path);
    expect(response.headers.get('Content-Type')).toBe(type);
  });

  it.each([
    ['/with%20space%20%C3%A9.txt', 'spaced'],
    ['/100%25.txt', 'percent'],
    ['/a%23b.txt', 'hash'],
    ['/%C3%A9.txt', 'accent'],
    ['/%61.txt', '0123456789'],
    ['/a.txt?version=1', '0123456789'],
  ])('is found at %s', async (target, text) => {
    const get = await getter(appOf());
    expect(await get(target)).toMatchObject({ status: 200, text });
  });

  it('without bytes is sent as such', async () => {
    const get = await getter(appOf());
    const reply = await get('/empty.txt');
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
  });

  it('gives HEAD the headers of GET and no body', async () => {
    const get = await getter(appOf());
    const whole = await get('/a.txt');
    const head = await get('/a.txt', {}, 'HEAD');
    expect(head).toEqual({
      ...whole,
      text: '',
      headers: { ...whole.headers, date: expect.any(String) },
    });
  });

  it('may be a symbolic link, even to a place outside of the directory', async () => {
    const response = await appOf().request('/link.txt');
    expect(await response.text()).toBe('secret');
  });

  it('that is a pipe is taken for missing', async () => {
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    const response = await appOf().request('/pipe');
    expect(response.status).toBe(404);
  });

  it('that cannot be read is a 500, which tells the client nothing', async () => {
    const errors: unknown[] = [];
    const loop = join(folder.root, 'loop');
    execFileSync('ln', ['-s', 'loop', loop]);
    const app = createApp().use(
      errorHandler({ onError: (error) => errors.push(error) }),
      serveStatic(folder.root),
    );
    const response = await app.request('/loop');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ detail: 'Internal Server Error' });
    expect(errors).toEqual([
      expect.objectContaining({
        status: 500,
        message: expect.stringMatching(/^Cannot read \/loop: ELOOP/),
        cause: expect.objectContaining({ code: 'ELOOP' }),
      }),
    ]);
  });
});

describe('what goes on to next()', () => {
  it.each(['/missing.txt', '/docs/missing.txt', '/a.txt/', '/a.txt/b', `/${'x'.repeat(300)}`])(
    'GET %s',
    async (path) => {
      const response = await appOf().request(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s of a file', async (method) => {
    const app = createApp().use(serveStatic(folder.root), (ctx) => ctx.send('next'));
    const response = await app.request('/a.txt', { method });
    expect(await response.text()).toBe('next');
  });
});

describe('the directory', () => {
  it('may be a file: URL', async () => {
    const app = createApp().use(serveStatic(pathToFileURL(folder.root)));
    expect((await app.request('/a.txt')).status).toBe(200);
  });

  it('may be relative to the working directory', async () => {
    const app = createApp().use(serveStatic('src'));
    expect((await app.request('/index.ts')).status).toBe(200);
  });

  it.each(['a.txt', 'missing'])('is not %s', (name) => {
    expect(() => serveStatic(join(folder.root, name))).toThrow(
      expect.objectContaining({
        code: 'INVALID_STATIC_ROOT',
        message: expect.stringContaining(name),
      }),
    );
  });

  it('is not the empty text', () => {
    expect(() => serveStatic('')).toThrow(expect.objectContaining({ code: 'INVALID_STATIC_ROOT' }));
  });
});

describe('prefix', () => {
  it('says below which path the files are', async () => {
    const app = appOf({ prefix: '/assets' });
    expect((await app.request('/assets/docs/start.html')).status).toBe(200);
    expect((await app.request('/docs/start.html')).status).toBe(404);
    expect((await app.request('/assetsa.txt')).status).toBe(404);
    expect((await app.request('/assets-a.txt')).status).toBe(404);
  });

  it("'/' is the whole path, after a route with a wildcard, too", async () => {
    const passOn = createRouter().get('/docs/*rest', (ctx) => ctx.next());
    const app = createApp()
      .route('/', passOn)
      .use(serveStatic(folder.root, { prefix: '/' }));
    expect(await (await app.request('/docs/start.html')).text()).toBe('start');
  });

  it.each([
    ['/assets/*path', '/assets/docs/start.html'],
    ['/*', '/docs/start.html'],
    ['/tenants/:id/files/*path', '/tenants/a%2Fb/files/docs/start.html'],
  ])('is what stands before the wildcard of %s', async (pattern, path) => {
    const app = createApp().route('/', createRouter().get(pattern, serveStatic(folder.root)));
    expect(await (await app.request(path)).text()).toBe('start');
  });

  it('counts the prefix of the router', async () => {
    const router = createRouter().get('/files/*path', serveStatic(folder.root));
    const app = createApp().route('/api', router).use(notFoundHandler());
    expect((await app.request('/api/files/a.txt')).status).toBe(200);
    expect((await app.request('/api/files/a.txt', { method: 'HEAD' })).status).toBe(200);
    expect((await app.request('/api/files/missing')).status).toBe(404);
    expect((await app.request('/api/files/a.txt', { method: 'PUT' })).status).toBe(405);
  });

  it.each(['assets', '/assets/', '/a//b', '/:id', '/*', '/a%20b', '/é', ''])(
    'is not %j',
    (prefix) => {
      expect(() => serveStatic(folder.root, { prefix })).toThrow(
        expect.objectContaining({ code: 'INVALID_PATTERN' }),
      );
    },
  );
});

describe('index', () => {
  it('answers for its directory', async () => {
    const response = await appOf().request('/docs/');
    expect(await response.text()).toBe('docs');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it.each([
    ['/docs?a=1&b=%2F', undefined, '/docs/?a=1&b=%2F'],
    ['/docs', undefined, '/docs/'],
    ['/files/docs', '/files', '/files/docs/'],
  ])('has %s redirected to the path with a slash', async (target, prefix, location) => {
    const get = await getter(appOf({ prefix: prefix ?? '/' }));
    const reply = await get(target);
    expect(reply.status).toBe(301);
    expect(reply.headers.location).toBe(location);
  });

  it('has the prefix redirected to the path with a slash', async () => {
    const app = appOf({ prefix: '/start', index: 'a.txt' });
    const response = await app.request('/start', { redirect: 'manual' });
    expect(response.headers.get('Location')).toBe('/start/');
    expect(await (await app.request('/start/')).text()).toBe('0123456789');
  });

  it('may have another name', async () => {
    const response = await appOf({ index: 'start.html' }).request('/docs/');
    expect(await response.text()).toBe('start');
  });

  it.each(['/', '/docs/guide', '/docs/guide/'])(
    'is missing at %s, and no list takes its place',
    async (path) => {
      expect((await appOf().request(path)).status).toBe(404);
    },
  );

  it.each(['/docs', '/docs/'])('false answers for no directory: %s', async (path) => {
    expect((await appOf({ index: false }).request(path)).status).toBe(404);
  });
});

describe('dotfiles', () => {
  const paths = ['/.env', '/.git/config', '/%2Eenv', '/.missing'];

  it.each(paths)('are taken for missing: %s', async (path) => {
    expect((await appOf().request(path)).status).toBe(404);
    expect((await appOf({ dotfiles: 'ignore' }).request(path)).status).toBe(404);
  });

  it.each(paths)('are denied: %s', async (path) => {
    expect((await appOf({ dotfiles: 'deny' }).request(path)).status).toBe(403);
  });

  it('are allowed', async () => {
    const response = await appOf({ dotfiles: 'allow' }).request('/.env');
    expect(await response.text()).toBe('KEY=1');
  });
});

describe('cacheControl', () => {
  it('is the value of Cache-Control', async () => {
    const response = await appOf({ cacheControl: 'max-age=60, immutable' }).request('/a.txt');
    expect(response.headers.get('Cache-Control')).toBe('max-age=60, immutable');
  });

  it('false leaves the header out', async () => {
    const response = await appOf({ cacheControl: false }).request('/a.txt');
    expect(response.headers.has('Cache-Control')).toBe(false);
  });

  it('takes no control characters', () => {
    expect(() => serveStatic(folder.root, { cacheControl: 'a\r\nb' })).toThrow(TypeError);
  });
});
