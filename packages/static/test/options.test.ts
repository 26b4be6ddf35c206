import { createApp, createRouter, notFoundHandler } from '@fairlead/core';
import { isFactory } from '@fairlead/options';
import { describe, expect, it } from 'vitest';
import { type StaticOptions, serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';
import { getter, serving } from './support/serve.js';

const folder = provideFolder();

const appOf = (options?: StaticOptions) => serving(folder, options);

describe('prefix', () => {
  it('is the path prefix of the files', async () => {
    const app = appOf({ prefix: '/assets' });
    expect((await app.request('/assets/docs/start.html')).status).toBe(200);
    expect((await app.request('/docs/start.html')).status).toBe(404);
    expect((await app.request('/assetsa.txt')).status).toBe(404);
    expect((await app.request('/assets-a.txt')).status).toBe(404);
  });

  it("'/' selects the whole path, even after a wildcard route", async () => {
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
  ])('defaults to the part before the wildcard of %s', async (pattern, path) => {
    const app = createApp().route('/', createRouter().get(pattern, serveStatic(folder.root)));
    expect(await (await app.request(path)).text()).toBe('start');
  });

  it('includes the prefix of the router', async () => {
    const router = createRouter().get('/files/*path', serveStatic(folder.root));
    const app = createApp().route('/api', router).use(notFoundHandler());
    expect((await app.request('/api/files/a.txt')).status).toBe(200);
    expect((await app.request('/api/files/a.txt', { method: 'HEAD' })).status).toBe(200);
    expect((await app.request('/api/files/missing')).status).toBe(404);
    expect((await app.request('/api/files/a.txt', { method: 'PUT' })).status).toBe(405);
  });

  it.each(['assets', '/assets/', '/a//b', '/:id', '/*', '/a%20b', '/é', '/./a', '/a/..', ''])(
    'cannot be %j',
    (prefix) => {
      expect(() => serveStatic(folder.root, { prefix })).toThrow(
        expect.objectContaining({ code: 'INVALID_PATTERN' }),
      );
    },
  );
});

describe('index', () => {
  it('is served for its directory', async () => {
    const response = await appOf().request('/docs/');
    expect(await response.text()).toBe('docs');
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  it.each([
    ['/docs?a=1&b=%2F', undefined, '/docs/?a=1&b=%2F'],
    ['/docs', undefined, '/docs/'],
    ['/files/docs', '/files', '/files/docs/'],
  ])('redirects %s to the path with a trailing slash', async (target, prefix, location) => {
    const get = await getter(appOf({ prefix: prefix ?? '/' }));
    const reply = await get(target);
    expect(reply.status).toBe(301);
    expect(reply.headers.location).toBe(location);
  });

  it('redirects the prefix to the path with a trailing slash', async () => {
    const app = appOf({ prefix: '/start', index: 'a.txt' });
    const response = await app.request('/start', { redirect: 'manual' });
    expect(response.headers.get('Location')).toBe('/start/');
    expect(await (await app.request('/start/')).text()).toBe('0123456789');
  });

  it('can have another name', async () => {
    const response = await appOf({ index: 'start.html' }).request('/docs/');
    expect(await response.text()).toBe('start');
  });

  it.each(['/', '/docs/guide', '/docs/guide/'])(
    'is a 404 without a directory listing when %s has none',
    async (path) => {
      expect((await appOf().request(path)).status).toBe(404);
    },
  );

  it.each(['/docs', '/docs/'])('false serves nothing for %s', async (path) => {
    expect((await appOf({ index: false }).request(path)).status).toBe(404);
  });
});

describe('dotfiles', () => {
  const paths = ['/.env', '/.git/config', '/%2Eenv', '/.missing'];

  it.each(paths)('are not found by default: %s', async (path) => {
    expect((await appOf().request(path)).status).toBe(404);
    expect((await appOf({ dotfiles: 'ignore' }).request(path)).status).toBe(404);
  });

  it.each(paths)("are denied with 'deny': %s", async (path) => {
    expect((await appOf({ dotfiles: 'deny' }).request(path)).status).toBe(403);
  });

  it("are served with 'allow'", async () => {
    const response = await appOf({ dotfiles: 'allow' }).request('/.env');
    expect(await response.text()).toBe('KEY=1');
  });
});

describe('cacheControl', () => {
  it('is the value of Cache-Control', async () => {
    const response = await appOf({ cacheControl: 'max-age=60, immutable' }).request('/a.txt');
    expect(response.headers.get('Cache-Control')).toBe('max-age=60, immutable');
  });

  it('false omits the header', async () => {
    const response = await appOf({ cacheControl: false }).request('/a.txt');
    expect(response.headers.has('Cache-Control')).toBe(false);
  });

  it('cannot contain control characters', () => {
    expect(() => serveStatic(folder.root, { cacheControl: 'a\r\nb' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('serveStatic() rejects', () => {
  it.each<[unknown, string]>([
    [{ dotFiles: 'deny' }, "serveStatic() has no option 'dotFiles'. Did you mean 'dotfiles'?"],
    [
      { dotfiles: 'denied' },
      "serveStatic() cannot use 'denied' as dotfiles. Use 'ignore', 'allow' or 'deny'.",
    ],
    [{ index: '' }, "serveStatic() cannot use '' as index. Use a non-empty string or false."],
    [{ index: true }, 'serveStatic() cannot use true as index. Use a non-empty string or false.'],
    [
      { cacheControl: 60 },
      'serveStatic() cannot use 60 as cacheControl. Use a string without control characters or false.',
    ],
    ['/assets', "serveStatic() cannot use '/assets' as options. Pass an object."],
  ])('the options %j', (options, message) => {
    expect(() => Reflect.apply(serveStatic, undefined, [folder.root, options])).toThrow(
      expect.objectContaining({ name: 'SetupError', code: 'INVALID_OPTION', message }),
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [{ root: 'public' }, 'an object'],
    [new URL('https://a.example/public'), "'https://a.example/public'"],
    [new URL('file://public'), "'file://public/'"],
  ])('the root %o', (root, shown) => {
    expect(() => Reflect.apply(serveStatic, undefined, [root])).toThrow(
      expect.objectContaining({
        name: 'StaticRootError',
        message: expect.stringContaining(`must be a directory: ${shown} is not one. Pass`),
      }),
    );
  });

  it('everything in one error', () => {
    const options = { prefix: 'assets', indx: 'a.html', dotfiles: true };
    const call = () => Reflect.apply(serveStatic, undefined, ['nowhere', options]);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    for (const problem of [
      "must be a directory: 'nowhere' is not one. ",
      "The pattern 'assets' is not valid: start the prefix",
      "serveStatic() has no option 'indx'. Did you mean 'index'?\n",
      'serveStatic() cannot use true as dotfiles. ',
    ]) {
      expect(call).toThrow(problem);
    }
  });
});

it('serveStatic is a factory, not middleware', () => {
  expect(isFactory(serveStatic)).toBe(true);
});
