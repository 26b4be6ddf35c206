import { execFileSync } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApp, errorHandler } from '@fairlead/core';
import { describe, expect, it } from 'vitest';
import { type StaticOptions, serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter, serving } from './support/serve.js';

const folder = provideFolder();

const appOf = (options?: StaticOptions) => serving(folder, options);

describe('a file', () => {
  it('is sent with its length, type, date and tag', async () => {
    const get = await getter(appOf());
    const { mtime } = await stat(join(folder.root, 'a.txt'));
    const { status, headers, text } = await get('/a.txt');
    expect({ status, text }).toEqual({ status: 200, text: '0123456789' });
    expect(headers).toMatchObject({
      'content-length': '10',
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache',
      'last-modified': mtime.toUTCString(),
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^W\/"a-/),
    });
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it('has the same response without a socket', async () => {
    const app = appOf();
    const get = await getter(app);
    const overSocket = await get('/page.html', { connection: 'keep-alive' });
    const response = await app.request('/page.html');
    expect(await response.text()).toBe(overSocket.text);
    expect({ ...Object.fromEntries(response.headers), date: '' }).toEqual({
      ...overSocket.headers,
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

  it('can be empty', async () => {
    const get = await getter(appOf());
    const reply = await get('/empty.txt');
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
  });

  it('has the same headers for HEAD, without a body', async () => {
    const get = await getter(appOf());
    const whole = await get('/a.txt');
    const head = await get('/a.txt', {}, 'HEAD');
    expect(head).toEqual({
      ...whole,
      text: '',
      headers: { ...whole.headers, date: expect.any(String) },
    });
  });

  it('can be a symbolic link, even to a path outside the directory', async () => {
    const response = await appOf().request('/link.txt');
    expect(await response.text()).toBe('secret');
  });

  it('is not found when it is a pipe', async () => {
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    const response = await appOf().request('/pipe');
    expect(response.status).toBe(404);
  });

  it('is a 500 without details when it cannot be read', async () => {
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

describe('serveStatic calls next() for', () => {
  it.each(['/missing.txt', '/docs/missing.txt', '/a.txt/', '/a.txt/b', `/${'x'.repeat(300)}`])(
    'GET %s',
    async (path) => {
      const response = await appOf().request(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s on a file', async (method) => {
    const app = createApp().use(serveStatic(folder.root), (ctx) => ctx.send('next'));
    const response = await app.request('/a.txt', { method });
    expect(await response.text()).toBe('next');
  });
});

describe('the root', () => {
  it('can be a file: URL', async () => {
    const app = createApp().use(serveStatic(pathToFileURL(folder.root)));
    expect((await app.request('/a.txt')).status).toBe(200);
  });

  it('can be relative to the working directory', async () => {
    const app = createApp().use(serveStatic('src'));
    expect((await app.request('/index.ts')).status).toBe(200);
  });

  it.each(['a.txt', 'missing'])('cannot be %s', (name) => {
    expect(() => serveStatic(join(folder.root, name))).toThrow(
      expect.objectContaining({
        code: 'INVALID_STATIC_ROOT',
        message: expect.stringContaining(name),
      }),
    );
  });

  it('cannot be an empty string', () => {
    expect(() => serveStatic('')).toThrow(expect.objectContaining({ code: 'INVALID_STATIC_ROOT' }));
  });
});
